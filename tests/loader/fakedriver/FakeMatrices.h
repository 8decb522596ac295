// Cooperative matrices of the stand-in for Vulkan, if FAKE_VULKAN is `matrices` (their components
// lie as the fragments of PTX's mma) or `other-matrices` (they lie otherwise).
#pragma once

#define VK_NO_PROTOTYPES
#include <cstddef>
#include <vulkan/vulkan_core.h>

namespace fake {

bool hasMatrices();
/// Sets the features in a chain of structs.
void addMatrixFeatures(VkPhysicalDeviceFeatures2 &features);
/// vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR
VkResult listMatrices(VkPhysicalDevice device, uint32_t *count, void *properties);
/// Does the work of the loader's task: `in` has matrices, `out` gets the components of all lanes.
void showComponents(const std::byte *in, std::byte *out);

} // namespace fake
