// The part of Vulkan that the loader uses, found at run time in libvulkan.so.1. The build needs
// Vulkan's headers, but not the library. Members have the functions' names without "vk".
#pragma once

#include "loader/Error.h"

#define VK_NO_PROTOTYPES
#include <string>
#include <vulkan/vulkan_core.h>

namespace sextant::loader::vulkan {

/// The newest API version that the loader asks for. It uses no features of later ones.
inline constexpr uint32_t newestApi = VK_API_VERSION_1_3;

#define SXT_VULKAN_INSTANCE_FUNCTIONS(F)                                                           \
  F(DestroyInstance)                                                                               \
  F(EnumeratePhysicalDevices)                                                                      \
  F(GetPhysicalDeviceProperties)                                                                   \
  F(GetPhysicalDeviceProperties2)                                                                  \
  F(GetPhysicalDeviceFeatures2)                                                                    \
  F(GetPhysicalDeviceMemoryProperties)                                                             \
  F(GetPhysicalDeviceQueueFamilyProperties)                                                        \
  F(EnumerateDeviceExtensionProperties)                                                            \
  F(CreateDevice)                                                                                  \
  F(GetDeviceProcAddr)

#define SXT_VULKAN_DEVICE_FUNCTIONS(F)                                                             \
  F(DestroyDevice)                                                                                 \
  F(GetDeviceQueue)                                                                                \
  F(QueueSubmit)                                                                                   \
  F(AllocateMemory)                                                                                \
  F(FreeMemory)                                                                                    \
  F(MapMemory)                                                                                     \
  F(CreateBuffer)                                                                                  \
  F(DestroyBuffer)                                                                                 \
  F(GetBufferMemoryRequirements)                                                                   \
  F(BindBufferMemory)                                                                              \
  F(CreateShaderModule)                                                                            \
  F(DestroyShaderModule)                                                                           \
  F(CreateComputePipelines)                                                                        \
  F(DestroyPipeline)                                                                               \
  F(CreatePipelineLayout)                                                                          \
  F(DestroyPipelineLayout)                                                                         \
  F(CreatePipelineCache)                                                                           \
  F(GetPipelineCacheData)                                                                          \
  F(DestroyPipelineCache)                                                                          \
  F(CreateDescriptorSetLayout)                                                                     \
  F(DestroyDescriptorSetLayout)                                                                    \
  F(CreateDescriptorPool)                                                                          \
  F(ResetDescriptorPool)                                                                           \
  F(DestroyDescriptorPool)                                                                         \
  F(AllocateDescriptorSets)                                                                        \
  F(UpdateDescriptorSets)                                                                          \
  F(CreateCommandPool)                                                                             \
  F(ResetCommandPool)                                                                              \
  F(DestroyCommandPool)                                                                            \
  F(AllocateCommandBuffers)                                                                        \
  F(BeginCommandBuffer)                                                                            \
  F(EndCommandBuffer)                                                                              \
  F(CmdBindPipeline)                                                                               \
  F(CmdBindDescriptorSets)                                                                         \
  F(CmdPushConstants)                                                                              \
  F(CmdDispatch)                                                                                   \
  F(CmdDispatchBase)                                                                               \
  F(CmdPipelineBarrier)                                                                            \
  F(CmdCopyBuffer)                                                                                 \
  F(CmdFillBuffer)                                                                                 \
  F(CmdExecuteCommands)                                                                            \
  F(CmdResetQueryPool)                                                                             \
  F(CmdWriteTimestamp)                                                                             \
  F(CreateQueryPool)                                                                               \
  F(DestroyQueryPool)                                                                              \
  F(GetQueryPoolResults)                                                                           \
  F(CreateSemaphore)                                                                               \
  F(DestroySemaphore)                                                                              \
  F(CreateFence)                                                                                   \
  F(DestroyFence)                                                                                  \
  F(WaitForFences)                                                                                 \
  F(GetFenceStatus)

#define SXT_VULKAN_MEMBER(name) PFN_vk##name name = nullptr;

/// An instance's functions.
struct Instance {
  VkInstance handle = nullptr;
  void *library = nullptr; ///< libvulkan.so.1, of the loader's own
  PFN_vkGetInstanceProcAddr GetInstanceProcAddr = nullptr;
  SXT_VULKAN_INSTANCE_FUNCTIONS(SXT_VULKAN_MEMBER)

  /// Looks up the functions. Returns the name of a missing one, or null.
  const char *lookUp();

  /// Returns the loader's own instance, which the first call makes. Null if there is no Vulkan;
  /// `why` then gives the reason. It stays until the process ends or the loader is unloaded.
  static const Instance *get(std::string &why);
};

/// Returns vkGetInstanceProcAddr of libvulkan.so.1. Null if there is none; `why` then gives the
/// reason.
PFN_vkGetInstanceProcAddr findVulkan(std::string &why, void *&library);

/// Counts devices that are made, and (-1) those that are destroyed. The instance stays while there
/// are any.
void countDevices(int change);

/// A device's functions.
struct Functions {
  SXT_VULKAN_DEVICE_FUNCTIONS(SXT_VULKAN_MEMBER)
  // The functions of timeline semaphores; null if the device has none.
  PFN_vkWaitSemaphores WaitSemaphores = nullptr;
  PFN_vkGetSemaphoreCounterValue GetSemaphoreCounterValue = nullptr;
  // Null if buffers have no addresses.
  PFN_vkGetBufferDeviceAddress GetBufferDeviceAddress = nullptr;

  /// \param timeline true if timeline semaphores are enabled
  /// \param addresses true if buffers have addresses
  const char *lookUp(PFN_vkGetDeviceProcAddr get, VkDevice device, bool timeline, bool addresses);
};

/// A struct of Vulkan's that says its type, and is zero otherwise.
template <class Struct> Struct typed(VkStructureType type) {
  Struct made{};
  made.sType = type;
  return made;
}

/// Describes a result: "VK_ERROR_DEVICE_LOST (the device was reset: a kernel crashed it or ran too
/// long)".
std::string describe(VkResult result);
/// Returns SXT_OK, or fails with the call's name and the result's.
sxt_status failed(VkResult result, const char *call);
inline sxt_status check(VkResult result, const char *call) {
  return result == VK_SUCCESS ? SXT_OK : failed(result, call);
}

} // namespace sextant::loader::vulkan
