// A kernel's signature: the arguments that the application passes, and the buffers that the loader
// adds.
#pragma once

#include "loader/abi/ScalarType.h"
#include "loader/abi/Words.h"

#include <string>
#include <vector>

namespace sextant::abi {

/// One argument, as the application passes it.
struct Argument {
  enum Kind : uint8_t {
    Array = 1,
    Scalar = 2,
    Matrix = 3, ///< passed by value, row-major; vectors have cols = 1
  } kind = Scalar;
  std::string name;
  ScalarType dtype = ScalarType::I32;
  unsigned ndim = 0;           ///< arrays: dimensions
  unsigned rows = 1, cols = 1; ///< element shape of arrays, shape of a matrix
  /// Arrays of structs in one piece: the struct, as Structure.h writes it. Else empty.
  std::string structure = {};
  /// Arrays of a gradient which it, or its kernel, writes: no other array may be the same memory.
  /// It is not of the signature, and code for other targets may say otherwise.
  bool isApart = false;

  bool operator==(const Argument &other) const {
    return kind == other.kind && name == other.name && dtype == other.dtype && ndim == other.ndim &&
           rows == other.rows && cols == other.cols && structure == other.structure;
  }
};

/// Returns the alignment of an array whose elements take `elementBytes`: the largest power of two
/// that divides them, at most 16. Elements of 16 bytes then are one access on every device.
constexpr uint32_t arrayAlignment(uint64_t elementBytes) {
  const uint64_t power = elementBytes & (~elementBytes + 1);
  return power == 0 || power > 16 ? 16 : uint32_t(power);
}

/// A buffer, or a value, that the loader supplies after the arguments. A field has one for each
/// device and module. Return values, carried locals, the record of faults and the schedule have one
/// for each launch. What kernels print has one for each stream. Values are computed for each
/// launch.
struct Hidden {
  enum Role : uint8_t {
    Field = 1,
    Return = 2,
    Carry = 3,
    Fault = 4,
    Print = 5,
    Schedule = 6,
    Multiplier = 7, ///< a value, not a buffer: of the division by what the name says (Division.h)
    Shift = 8,      ///< likewise
  } role = Field;
  /// The name of the field or local. For return values: "return" + number. For faults: the texts of
  /// the checks that may fail, one on each line. For prints: the texts of the `print`s, likewise;
  /// docs/module-format.md describes the marks in them. For schedules: the spans, see Schedule.h.
  /// For multipliers and shifts: the divisor, as textOf(LaunchExpr) writes it.
  std::string name;
  ScalarType dtype = ScalarType::F32;
  uint64_t count = 1;         ///< scalars
  std::vector<int64_t> shape; ///< fields: extents; rows and cols are the element's
  unsigned rows = 1, cols = 1;
  /// Fields: the index in ModuleInfo::globals. Kernels that name the same global share the buffer.
  /// The builder fills it in.
  uint32_t global = noGlobal;
  /// Fields, for the builder only: the source that defines the field, if that is not the kernel's.
  uint32_t source = noGlobal;

  static constexpr uint32_t noGlobal = 0xffffffffu;
  static constexpr uint64_t faultWords = 8;       ///< scalars of a fault's record, each u32
  static constexpr uint64_t printWords = 1 << 18; ///< scalars of a stream's prints, each u32
  bool operator==(const Hidden &) const = default;
};
constexpr auto words(Hidden::Role) {
  return wordsUpTo<Hidden::Shift>("", "field", "return", "carry", "fault", "print", "schedule",
                                  "multiplier", "shift");
}
/// Returns true if the loader passes a value and no buffer.
constexpr bool isValue(Hidden::Role role) {
  return role == Hidden::Multiplier || role == Hidden::Shift;
}

} // namespace sextant::abi
