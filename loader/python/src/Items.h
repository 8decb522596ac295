// The type of an array's items, as the protocols of Python's arrays tell it.
#pragma once

#include "Dlpack.h"

#include "loader/abi/Structure.h"

#include <nanobind/nanobind.h>

namespace sextant::python {

struct ItemMember;

/// A scalar, or a struct. What kernels have no type for is an opaque scalar without bits.
struct Item {
  /// Raw bytes are opaque with their bits: the padding that has a name.
  dlpack::DataType scalar{dlpack::Opaque, 0, 1};
  uint64_t bytes = 0;
  std::vector<ItemMember> members; ///< a struct's members
};

struct ItemMember {
  std::string name;
  uint64_t offset = 0;
  std::vector<int64_t> shape; ///< extents of vectors and matrices
  Item item;
};

/// Reads a format of the buffer protocol (PEP 3118).
/// \param format null: bytes
/// \param bytes the size that the exporter says items have
Item itemOfFormat(const char *format, uint64_t bytes);
/// Reads a `typestr` of the array interface: "<f4".
Item itemOfTypestr(std::string_view typestr);
/// Reads a `descr` of the array interface: members and paddings, one after the other.
Item itemOfDescr(nanobind::handle descr);

/// True for a type that numpy does not have, and shows as raw bytes.
inline bool isRawInNumpy(dlpack::DataType type) {
  return type.code == dlpack::Bfloat || type.code > dlpack::Bool;
}

/// True if the items are such structs: the same members by name, at the same offsets, of the same
/// types. Raw bytes are a bf16 or a real of 8 bits there, for which numpy has no types.
bool matches(const Item &item, const abi::Structure &type);

} // namespace sextant::python
