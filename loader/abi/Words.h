// Enumerations as words of a text. An enumeration that has words has them beside it, in its order:
//   constexpr auto words(Color) { return wordsUpTo<Color::Blue>("red", "green", "blue"); }
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace sextant::abi {

/// \tparam Last the last enumerator
template <auto Last> constexpr auto wordsUpTo(auto... words) {
  static_assert(sizeof...(words) == size_t(Last) + 1, "each enumerator has a word");
  return std::array<const char *, sizeof...(words)>{words...};
}

template <class Enum> constexpr const char *wordOf(Enum value) {
  return words(value).at(size_t(value));
}

template <class Enum> constexpr std::optional<Enum> fromWord(std::string_view word) {
  constexpr auto all = words(Enum());
  for (size_t i = 0; i < all.size(); ++i)
    if (word == all[i])
      return Enum(i);
  return std::nullopt;
}

} // namespace sextant::abi
