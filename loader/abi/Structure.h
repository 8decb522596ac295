// Structs that are elements of arrays in one piece: their members, where these lie, and the text
// by which modules describe them to those who write the host's code. The loader itself has no use
// for them: for it, elements are vectors.
#pragma once

#include "loader/abi/ScalarType.h"

#include <string>
#include <vector>

namespace sextant::abi {

struct StructureMember;

struct Structure {
  std::string name;
  std::vector<StructureMember> members;
};

/// A scalar, a vector or matrix of them, or a struct.
struct StructureMember {
  std::string name;
  ScalarType dtype = ScalarType::F32;
  unsigned rows = 1, cols = 1;       ///< extents of vectors and matrices
  std::vector<Structure> inner = {}; ///< one, if it is a struct
};

/// A struct in memory, in bytes. Each scalar is at a multiple of its size; vectors and matrices are
/// runs of scalars, row by row, and structs begin at a multiple of their largest scalar. The struct
/// ends at one of its own. That is what C compilers for 64-bit machines do with members of
/// `<stdint.h>`'s types, `float`, `double`, `bool` (u1), and 2 bytes for f16 and bf16. Members
/// without scalars take no place.
struct StructureLayout {
  std::vector<uint64_t> offsets; ///< where each member begins, in order
  uint64_t size = 0;
  unsigned smallest = 8, largest = 1; ///< scalars
  uint64_t scalars = 0;               ///< in all
  bool isMixed = false;               ///< the scalars are of several types
  /// The type of the runs that arrays of such elements are: that of all scalars, if they have one,
  /// else the unsigned integer as wide as the smallest.
  ScalarType unit = ScalarType::U8;
};

StructureLayout layoutOf(const Structure &type);

/// `Grain{kind:u8,pos:f32x3,spot:Spot{x:f32,on:u1},turn:f32x2x2}`
std::string textOf(const Structure &type);
/// Reads such a text, which may be any bytes. Absent if it is not a structure's text, has a member
/// without a name, a vector or matrix with an extent that is not 1 to 1024, or structs more than 32
/// deep.
std::optional<Structure> structureOf(std::string_view text);

} // namespace sextant::abi
