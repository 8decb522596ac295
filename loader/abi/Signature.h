// What a kernel takes: the arguments that the application passes, and the buffers that the
// loader adds.
#pragma once

#include "loader/abi/ScalarType.h"

#include <string>
#include <vector>

namespace sextant::abi {

/// One argument as the application passes it.
struct Argument {
  enum Kind : uint8_t {
    Array = 1,
    Scalar = 2,
    Matrix = 3, ///< by value, row-major; vectors have cols = 1
  } kind = Scalar;
  std::string name;
  ScalarType dtype = ScalarType::I32;
  unsigned ndim = 0;           ///< arrays: dimensions
  unsigned rows = 1, cols = 1; ///< element shape of arrays, shape of a matrix

  bool operator==(const Argument &) const = default;
};

/// A buffer that the loader supplies after the arguments: one a device and
/// module (fields), or one a launch (returns, carried locals, the record of a fault).
struct Hidden {
  enum Role : uint8_t { Field = 1, Return = 2, Carry = 3, Fault = 4 } role = Field;
  /// Of the field or local; returns: "return" + number; faults: the texts of the sites that
  /// may record one, a line each.
  std::string name;
  ScalarType dtype = ScalarType::F32;
  uint64_t count = 1;         ///< scalars
  std::vector<int64_t> shape; ///< fields: extents; rows and cols are the element's
  unsigned rows = 1, cols = 1;
  /// Fields: which of ModuleInfo::globals. Kernels that name the same global
  /// share the buffer. The builder fills it in.
  uint32_t global = noGlobal;
  /// Fields, for the builder alone: the source that defines it, where that is not the kernel's.
  uint32_t source = noGlobal;

  static constexpr uint32_t noGlobal = 0xffffffffu;
  static constexpr uint64_t faultWords = 8; ///< scalars of a fault's record, each u32
  bool operator==(const Hidden &) const = default;
};

} // namespace sextant::abi
