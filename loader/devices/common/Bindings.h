// How a device without device pointers takes an argument block: each buffer as a
// binding of its own, the values packed one after another. Vulkan's and Metal's code
// is built for exactly this (docs/vulkan-abi.md).
#pragma once

#include "loader/format/Module.h"

#include <cstddef>
#include <vector>

namespace sextant::loader {

/// Worked out once a task; launches only copy.
struct Bindings {
  std::vector<uint32_t> buffers; ///< offset in the block of each buffer's address, in binding order
  struct Value {
    uint32_t from = 0; ///< offset in the block
    uint32_t to = 0;   ///< offset in the packed values
    uint32_t size = 0;
  };
  std::vector<Value> values;
  uint32_t valueBytes = 0; ///< of the packed values, a multiple of 4

  explicit Bindings(const module::BlockLayout &layout);
  Bindings() = default;

  /// The address of the buffer at a binding.
  uint64_t address(const void *block, size_t binding) const;
  /// Writes valueBytes bytes. Values of 1 and 2 bytes are zero-extended to 4.
  void pack(const void *block, std::byte *packed) const;
};

} // namespace sextant::loader
