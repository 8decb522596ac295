// The physical devices of the stand-in for Vulkan.
#pragma once

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

namespace fake {

constexpr unsigned software = 0, modern = 1, plain = 2, mute = 4;
unsigned indexOf(VkPhysicalDevice device);
/// The instance's functions and those that ask about a device; null for others.
PFN_vkVoidFunction physicalFunction(const char *name);
/// True if FAKE_VULKAN says so.
bool is(const char *fault);

} // namespace fake
