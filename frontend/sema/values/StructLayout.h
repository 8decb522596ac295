// Where C puts the members of a struct.
#pragma once

#include "frontend/sema/values/Struct.h"

namespace sextant::sema {

/// A struct in memory, in bytes. Each scalar is at a multiple of its size; vectors and matrices are
/// runs of scalars, row by row, and structs begin at a multiple of their largest scalar. The struct
/// ends at one of its own. That is what C compilers for 64-bit machines do with members of
/// `<stdint.h>`'s types, `float`, `double`, `bool` (u1), and 2 bytes for f16 and bf16.
struct StructLayout {
  std::vector<uint64_t> offsets; ///< of the members, in order
  uint64_t size = 0;
  unsigned smallest = 8, largest = 1; ///< scalars
  uint64_t scalars = 0;               ///< in all
  std::optional<hir::Type> only;      ///< the type of all scalars, if they have one
};

/// The layout of a record. Members without scalars take no place.
StructLayout layoutOf(const StructType &type);

} // namespace sextant::sema
