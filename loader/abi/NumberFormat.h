// How `print` shows numbers: the parts of Python's format specification (docs.python.org, "Format
// Specification Mini-Language") that kernels have. The compiler shows constants by it, the loader
// what kernels print.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sextant::abi {

struct NumberFormat {
  char fill = ' ';    ///< a printable ASCII character
  char align = '-';   ///< '<', '>', '^', '=': between sign and digits, '-': as '>', of texts '<'
  char sign = '-';    ///< '-': of negative numbers, '+': of all, ' ': a blank of others
  char type = 's';    ///< 's': as `str` does; d x X o b of integers; e E f F g G %
  unsigned width = 0; ///< at least, up to 99
  /// Up to 99. Reals: digits after the point, with g in all; without a type as with f. Integers:
  /// digits at least, as in C. Texts: characters at most. -1: as many as the value needs.
  int precision = -1;

  bool isReal() const { return std::string_view("eEfFgG%").find(type) != std::string_view::npos; }
  bool isInteger() const { return std::string_view("dxXob").find(type) != std::string_view::npos; }
  bool operator==(const NumberFormat &) const = default;
};

/// The characters by which a print's text tells a format, and what they mean. A wrong one is taken
/// for a format that has nothing to say.
inline constexpr size_t formatCharacters = 8;
std::string textOf(const NumberFormat &format);
NumberFormat readFormat(std::string_view text);

/// \param isSingle the number is an f32: as `str`, it has the digits that mean one
std::string formatted(const NumberFormat &format, double value, bool isSingle);
std::string formatted(const NumberFormat &format, bool isNegative, uint64_t magnitude);
/// Pads a text, whose sign is a character or '\0'.
std::string padded(const NumberFormat &format, char sign, const std::string &text);

} // namespace sextant::abi
