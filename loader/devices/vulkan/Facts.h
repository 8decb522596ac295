// The abilities of a Vulkan device, in the words that variants require.
#pragma once

#include "loader/abi/Features.h"
#include "loader/devices/Device.h"
#include "loader/devices/vulkan/Driver.h"

namespace sextant::loader::vulkan {

/// Adds a word to others, which are sorted.
void addFeature(std::vector<std::string> &words, abi::VulkanFeature feature);
/// A GPU that does not say that it is discrete may be one in the processor.
Rank rankOf(VkPhysicalDeviceType type);

/// VkPhysicalDeviceCooperativeMatrixFeaturesKHR, which the headers of the build may lack.
struct CooperativeMatrixFeatures {
  VkStructureType sType;
  void *pNext;
  VkBool32 matrices, robustAccess;
};
/// VkPhysicalDeviceShaderBfloat16FeaturesKHR
struct Bfloat16Features {
  VkStructureType sType;
  void *pNext;
  VkBool32 type, dotProduct, matrices;
};

/// Every feature struct that the loader queries or enables. Structs that a device does not know
/// stay zero. `link` fills in sType and pNext.
struct Features {
  VkPhysicalDeviceFeatures2 base;
  VkPhysicalDevice16BitStorageFeatures storage16;
  VkPhysicalDevice8BitStorageFeatures storage8;
  VkPhysicalDeviceShaderFloat16Int8Features float16Int8;
  VkPhysicalDeviceShaderAtomicInt64Features atomicInt64;
  VkPhysicalDeviceVulkanMemoryModelFeatures memoryModel;
  VkPhysicalDeviceShaderSubgroupExtendedTypesFeatures extendedTypes;
  VkPhysicalDeviceTimelineSemaphoreFeatures timeline;
  VkPhysicalDeviceSubgroupSizeControlFeatures sizeControl;
  VkPhysicalDeviceBufferDeviceAddressFeatures addresses;
  VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomicFloat;
  VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT atomicFloat2;
  VkPhysicalDeviceShaderClockFeaturesKHR clock;
  CooperativeMatrixFeatures cooperative;
  Bfloat16Features bfloat16;
};

/// A physical device, with the features that are enabled or will be.
struct Abilities {
  VkPhysicalDevice physical = nullptr;
  uint32_t api = VK_API_VERSION_1_1; ///< the device's version, at most newestApi
  VkPhysicalDeviceProperties properties{};
  VkPhysicalDeviceMemoryProperties memory{};
  VkPhysicalDeviceSubgroupProperties subgroup{};
  VkPhysicalDeviceFloatControlsProperties floats{};
  VkPhysicalDeviceSubgroupSizeControlProperties sizes{}; ///< zero where there is no control
  Features features{};                                   ///< linked, ready for vkCreateDevice
  std::vector<const char *> extensions;                  ///< to enable
  uint32_t family = 0;                                   ///< the queues' family
  uint32_t queueCount = 0;                               ///< 0: no queue supports compute
  uint32_t timestampBits = 0;
  uint32_t threadsPerMultiprocessor = 0; ///< 0: the driver does not tell
  bool unified = false;                  ///< device memory is the host's
  bool multiplies = false;               ///< matrices, see Matrices.h
  DeviceDescription description;

  /// True if a launch may have more blocks than one row holds.
  bool fewBlocks() const { return properties.limits.maxComputeWorkGroupCount[0] < INT32_MAX; }
  /// True if buffers have addresses that code may use.
  bool hasAddresses() const { return features.addresses.bufferDeviceAddress; }
  /// True if a pipeline may ask for a subgroup size.
  bool controlsSize() const { return sizes.maxSubgroupSize != 0; }
};

/// Collects the facts of a physical device that the loader opens itself.
/// \param name "vulkan:0"
sxt_status survey(const Instance &instance, VkPhysicalDevice physical, std::string name,
                  Abilities &abilities);
/// The same for a device that an application created with `info`. Of its features, only the enabled
/// ones count.
/// \param api the version that the application created its instance for
sxt_status surveyAdopted(const Instance &instance, VkPhysicalDevice physical, uint32_t api,
                         const VkDeviceCreateInfo &info, uint32_t family, Abilities &abilities);

} // namespace sextant::loader::vulkan
