// The part of Vulkan that the loader uses, found at run time in libvulkan.so.1: its
// headers are needed to build, the library is not. Members have the functions' names
// without "vk".
#pragma once

#include "loader/Error.h"

#define VK_NO_PROTOTYPES
#include <string>
#include <vulkan/vulkan_core.h>

namespace sextant::loader::vulkan {

/// The newest API that is asked for: features of later ones go unused.
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

  /// Looks them up; the name of one that is missing, or null.
  const char *lookUp();

  /// The loader's own, made at the first call; null where there is no Vulkan, and then `why` says
  /// the reason. It stays for as long as the process or, where the loader is unloaded, the loader.
  static const Instance *get(std::string &why);
};

/// vkGetInstanceProcAddr of libvulkan.so.1; null with `why` where there is none.
PFN_vkGetInstanceProcAddr findVulkan(std::string &why, void *&library);

/// Counts a device that was made, or one that is gone (-1): the instance stays while there are any.
void countDevices(int change);

/// A device's functions.
struct Functions {
  SXT_VULKAN_DEVICE_FUNCTIONS(SXT_VULKAN_MEMBER)
  // Of timeline semaphores; null where there are none.
  PFN_vkWaitSemaphores WaitSemaphores = nullptr;
  PFN_vkGetSemaphoreCounterValue GetSemaphoreCounterValue = nullptr;

  /// \param timeline whether timeline semaphores are enabled
  const char *lookUp(PFN_vkGetDeviceProcAddr get, VkDevice device, bool timeline);
};

/// "VK_ERROR_DEVICE_LOST (the device was reset: a kernel crashed it or ran too long)".
std::string describe(VkResult result);
/// SXT_OK, or the call's failure with its name and the result's as the last error.
sxt_status failed(VkResult result, const char *call);
inline sxt_status check(VkResult result, const char *call) {
  return result == VK_SUCCESS ? SXT_OK : failed(result, call);
}

} // namespace sextant::loader::vulkan
