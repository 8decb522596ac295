// The scalar types of the kernel language, as the compiler, the module format and the loader
// know them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sextant::abi {

/// Scalar types. The numbers are those of the module file and of the C interface
/// (`sxt_dtype`); 0 is no type. Signed integers, unsigned ones and reals each stand in a row.
enum class ScalarType : uint8_t {
  Bool = 1, ///< `u1`: one bit as a value; in memory one byte, 0 or 1
  I8 = 2,
  I16 = 3,
  I32 = 4,
  I64 = 5,
  U8 = 6,
  U16 = 7,
  U32 = 8,
  U64 = 9,
  F16 = 10,
  F32 = 11,
  F64 = 12,
};

inline constexpr unsigned scalarTypeEnd = 13; ///< one past the last

/// Bytes of one scalar in memory; 1 for what is no type.
unsigned sizeOf(ScalarType type);
/// "u1", "i32", "f64", …, as the kernel language spells them; "?" for what is no type.
std::string_view nameOf(ScalarType type);
/// The type of that name; absent: there is none.
std::optional<ScalarType> scalarTypeOf(std::string_view name);

} // namespace sextant::abi
