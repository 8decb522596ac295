// SPIR-V on a Vulkan device.
#pragma once

#include "loader/abi/BindingLayout.h"
#include "loader/devices/vulkan/Context.h"

namespace sextant::loader::vulkan {

class VulkanImage;

/// A task, in the form in which streams launch it.
struct VulkanTask {
  VulkanTask(VulkanImage &image, const module::BlockLayout &layout)
      : image(image), bindings(layout) {}
  VulkanImage &image; ///< that owns it
  abi::BindingLayout bindings;
  uint32_t blockDim = 0, wave = 0;
  uint32_t pushBytes = 0;
  /// Code for the device, and what it is bound to.
  struct Code {
    Context::Layout layout;
    VkPipeline pipeline = nullptr;
  };
  Code code;
  /// For launches whose arrays begin where Vulkan binds none, see withOffsets(). The first of them
  /// makes it.
  Code shifted;
  std::vector<uint32_t> strides;
  [[gnu::noinline]] sxt_status makeShifted(); // rare, and not to be as large as a launch
  bool takesRows = false;                     ///< the grid may have several
  bool hasTable = false; ///< true: a table has the arrays' addresses, in place of their bindings
  std::string symbol;
};

sxt_status loadSpirv(Context &context, std::span<const std::byte> bytes,
                     std::unique_ptr<LoadedImage> &image);

} // namespace sextant::loader::vulkan
