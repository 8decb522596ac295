// How a device without device pointers receives an argument block: each buffer is a binding of its
// own, and the values are packed one after another. Code for Vulkan and Metal is built for exactly
// this layout (docs/vulkan-abi.md).
//
// Devices bind a limited number of buffers. Code for more of them gets a table: one buffer with the
// 64-bit address of array number `i` at byte `8 * i`. The table is binding 0, and the values follow
// it.
#pragma once

#include "loader/abi/BlockLayout.h"

#include <cstddef>

namespace sextant::abi {

/// Assigns bindings and places to a block's entries, in the order of the block.
class BindingPlaces {
public:
  /// The binding of the next buffer: 0, 1, 2, …
  uint32_t addBuffer() { return bufferCount++; }
  /// Returns the offset of the next packed value, which has `bytes` bytes in the block. It takes at
  /// least 4 bytes and is aligned to its size.
  uint32_t addValue(uint32_t bytes);
  uint32_t buffers() const { return bufferCount; }
  uint32_t valueBytes() const { return end; } ///< size of all packed values, a multiple of 4

  /// On Vulkan, packed values of up to this many bytes are push constants, which every device
  /// supports. Beyond that they are one more buffer after the others. On Metal they always are.
  static constexpr uint32_t mostPushBytes = 128;
  /// Metal binds that many buffers, of which the values are one.
  static constexpr uint32_t mostMetalBuffers = 31;
  /// Returns true if Metal's code takes a table, because a kernel needs more.
  static constexpr bool takesMetalTable(size_t buffers, bool hasValues) {
    return buffers + hasValues > mostMetalBuffers;
  }
  /// On Vulkan, kernels with more buffers than these are built in both ways: every recent desktop
  /// device binds so many, and most bind more.
  static constexpr uint32_t usualVulkanBuffers = 30;

private:
  uint32_t bufferCount = 0, end = 0;
};

/// Splits argument blocks into bindings and packed values. The layout is computed once for each
/// task. Launches only copy, and threads may share it.
struct BindingLayout {
  std::vector<uint32_t> buffers; ///< offset in the block of each buffer's address, in binding order
  struct Value {
    uint32_t from = 0; ///< offset in the block
    uint32_t to = 0;   ///< offset in the packed values
    uint32_t size = 0;
  };
  std::vector<Value> values;
  uint32_t valueBytes = 0; ///< size of the packed values, a multiple of 4

  explicit BindingLayout(const BlockLayout &layout);
  BindingLayout() = default;

  /// Returns the address of the buffer at a binding.
  uint64_t address(const void *block, size_t binding) const;
  /// Writes `valueBytes` bytes. Values of 1 and 2 bytes are zero-extended to 4.
  void pack(const void *block, std::byte *packed) const;
};

} // namespace sextant::abi
