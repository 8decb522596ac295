// SPIR-V on a Vulkan device.
#pragma once

#include "loader/abi/BindingLayout.h"
#include "loader/devices/vulkan/Context.h"

namespace sextant::loader::vulkan {

/// A task, in the form in which streams launch it.
struct VulkanTask {
  explicit VulkanTask(const module::BlockLayout &layout) : bindings(layout) {}
  abi::BindingLayout bindings;
  uint32_t pushBytes = 0;
  Context::Layout layout;
  VkPipeline pipeline = nullptr;
  bool takesRows = false; ///< the grid may have several
  bool hasTable = false;  ///< of the arrays' addresses, in place of their bindings
  std::string symbol;
};

sxt_status loadSpirv(Context &context, std::span<const std::byte> bytes,
                     std::unique_ptr<LoadedImage> &image);

} // namespace sextant::loader::vulkan
