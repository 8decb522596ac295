// The argument block: the bytes in which every kernel receives its arguments. It is a C struct with
// natural alignment. loader/abi/README.md describes it in words.
//
// This file defines the order and the places of the block's entries. Sema numbers parameters in
// this order. Backends that read the block and the loader that writes it take the places from
// BlockPlaces.
#pragma once

#include "loader/abi/Signature.h"

#include <span>
#include <vector>

namespace sextant::abi {

/// Assigns places to entries in the order of the calls. Each entry is aligned to its size.
class BlockPlaces {
public:
  /// Returns the offset of the next entry, a pointer to a buffer, in bytes from the block's start.
  uint32_t addBuffer() { return addValue(bufferBytes); }
  /// The same for a scalar of `bytes` bytes: 1, 2, 4 or 8.
  uint32_t addValue(uint32_t bytes);
  /// The size of the block so far, a multiple of 8.
  uint32_t size() const { return (end + 7) / 8 * 8; }

  static constexpr uint32_t bufferBytes = 8;

private:
  uint32_t end = 0;
};

/// One entry of the argument block.
struct Param {
  enum Kind : uint8_t { Buffer, Value } kind = Value;
  ScalarType dtype = ScalarType::I32; ///< type of the buffer's elements, or of the value
  uint32_t offset = 0;                ///< bytes from the block's start
  uint32_t size = 0;                  ///< bytes: 8 for buffers
};

/// Lays out a whole argument block. For each argument it has an array's pointer and its extents,
/// a scalar, or a matrix's scalars row by row. Then it has one pointer for each hidden buffer,
/// or the value.
/// Extents are I32, or I64 in the variants for large arrays.
struct BlockLayout {
  std::vector<Param> params;
  uint32_t size = 0;                ///< bytes, a multiple of 8
  std::vector<uint32_t> firstParam; ///< one an argument, then one a hidden buffer
};
BlockLayout layoutOf(std::span<const Argument> arguments, std::span<const Hidden> hidden,
                     ScalarType extents = ScalarType::I32);

/// Appends the entries that one argument has in the block, in order, without places.
void addEntries(const Argument &argument, std::vector<Param> &entries,
                ScalarType extents = ScalarType::I32);

} // namespace sextant::abi
