// The scalar types of the kernel language, as the compiler, the module format and the loader
// know them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sextant::abi {

/// The scalar types. The numbers are those of ScalarTypes.def; 0 is not a type.
enum class ScalarType : uint8_t {
#define SCALAR_TYPE(NAME, NUMBER, ...) NAME = NUMBER,
#include "loader/abi/ScalarTypes.def"
};

enum class ScalarKind : uint8_t { Truth, Signed, Unsigned, Real };

/// The facts in one row of ScalarTypes.def that the loader needs.
struct ScalarFacts {
  std::string_view name, longName;
  ScalarKind kind = ScalarKind::Truth;
  uint8_t bytes = 1;
  uint8_t digits = 0; ///< digits of a real's significand
};

/// Returns the row of `type`, or a row named "?" of 1 byte if `type` is not valid.
const ScalarFacts &factsOf(ScalarType type);

/// One past the largest number: the rows are numbered from 1 on, without a gap.
inline constexpr unsigned scalarTypeEnd = 1
#define SCALAR_TYPE(...) +1
#include "loader/abi/ScalarTypes.def"
    ;

/// The bytes of one scalar in memory; 1 if `type` is not valid.
unsigned sizeOf(ScalarType type);
/// The name in the kernel language: "u1", "i32", "f64", …; "?" if `type` is not valid.
std::string_view nameOf(ScalarType type);
/// The type of that name, or absent.
std::optional<ScalarType> scalarTypeOf(std::string_view name);

} // namespace sextant::abi
