// How a buffer or array is declared, and the types of values in it, which differ from those in
// registers.
#pragma once

#include "backends/spirv/ScalarWriter.h"

#include <map>
#include <string>

namespace sextant::spirv {

struct Memory {
  /// PhysicalStorageBuffer: the pointer that the table holds, or its type if each access reads it.
  Id variable = 0;
  spv::StorageClass storage = spv::StorageClassStorageBuffer;
  uint32_t binding = 0; ///< a buffer's binding; with a table, its place there
  mlir::Type element;   ///< the type in the dialect
  /// Declared as integers of the same width, because a loop of compare-and-swaps works on it.
  bool asBits = false;
  /// 8- and 16-bit elements take 32 bits each: only the code sees the layout of this memory.
  /// (Beyond usualShared they are packed.)
  bool wide = false;
  /// For a buffer of 8- or 16-bit elements with atomics: the same binding as words that hold the
  /// elements. As `variable` is. For a packed array of the block: its only variable.
  Id words = 0;
  /// The same binding as vectors, by their length.
  std::map<unsigned, Id> vectors;
  /// The same binding under other names, which stores ask for (marks::alias).
  std::map<std::string, Id> aliases;
};

/// True if elements of 8 or 16 bits in shared memory share words, which are accessed by atomics.
inline bool isPacked(const Memory &memory) {
  return memory.words != 0 && memory.storage == spv::StorageClassWorkgroup;
}

/// The type of an element in memory. Notes what the module needs for it.
Id memoryType(const Memory &memory, ScalarWriter &w);
/// A vector of elements as they are: another view of the binding may have them as bits.
Id memoryVector(mlir::Type element, size_t count, ScalarWriter &w);
Id toMemory(Id value, const Memory &memory, ScalarWriter &w);
Id fromMemory(Id value, const Memory &memory, ScalarWriter &w);

} // namespace sextant::spirv
