// The scalar types of the kernel language, as the compiler, the module format and the loader
// know them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sextant::abi {

/// The scalar types, by the numbers of ScalarTypes.def.
enum class ScalarType : uint8_t {
#define SCALAR_TYPE(NAME, NUMBER, SHORT, LONG, KIND, BYTES, DIGITS) NAME = NUMBER,
#include "loader/abi/ScalarTypes.def"
};

enum class ScalarKind : uint8_t { Truth, Signed, Unsigned, Real };

/// What a row of ScalarTypes.def says.
struct ScalarFacts {
  std::string_view name, longName;
  ScalarKind kind = ScalarKind::Truth;
  uint8_t bytes = 1;
  uint8_t digits = 0; ///< of a real's significand
};

/// The row of `type`; for what is no type one named "?" of 1 byte.
const ScalarFacts &factsOf(ScalarType type);

/// One past the largest number: the rows are numbered from 1 on, without a gap.
inline constexpr unsigned scalarTypeEnd = 1
#define SCALAR_TYPE(NAME, NUMBER, SHORT, LONG, KIND, BYTES, DIGITS) +1
#include "loader/abi/ScalarTypes.def"
    ;

/// Bytes of one scalar in memory; 1 for what is no type.
unsigned sizeOf(ScalarType type);
/// "u1", "i32", "f64", …, as the kernel language spells them; "?" for what is no type.
std::string_view nameOf(ScalarType type);
/// The type of that short name; absent: there is none.
std::optional<ScalarType> scalarTypeOf(std::string_view name);

} // namespace sextant::abi
