// SPIR-V on a Vulkan device.
#pragma once

#include "loader/devices/common/Bindings.h"
#include "loader/devices/vulkan/Context.h"

namespace sextant::loader::vulkan {

/// Kernels take their values as push constants up to so many bytes, in a buffer beyond.
/// What every device has; part of what the compiler and the loader agree on.
inline constexpr uint32_t mostPushBytes = 128;

/// A kernel as streams launch it.
struct VulkanTask {
  explicit VulkanTask(const module::BlockLayout &layout) : bindings(layout) {}
  Bindings bindings;
  uint32_t pushBytes = 0;
  Context::Layout layout;
  VkPipeline pipeline = nullptr;
  bool takesRows = false; ///< the grid may have several
  std::string symbol;
};

sxt_status loadSpirv(Context &context, std::span<const std::byte> bytes,
                     std::unique_ptr<LoadedImage> &image);

} // namespace sextant::loader::vulkan
