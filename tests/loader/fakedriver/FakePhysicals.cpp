// Five devices, listed out of order: a processor, a present-day GPU, a plain one of Vulkan
// 1.1 without extensions, one of 1.0, one without compute.
#include "FakePhysicals.h"
#include "FakeMatrices.h"
#include "FakeState.h"

#include <cstdlib>
#include <cstring>
#include <map>

using fake::indexOf, fake::is, fake::state;
using fake::software, fake::modern, fake::plain, fake::mute;

namespace {

struct Physical {
  const char *name;
  VkPhysicalDeviceType type;
  uint32_t api;
};
Physical physicals[] = {
    {"Fake Software", VK_PHYSICAL_DEVICE_TYPE_CPU, VK_API_VERSION_1_3},
    {"Fake Modern", VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, VK_API_VERSION_1_3},
    {"Fake Plain", VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, VK_API_VERSION_1_1},
    {"Fake Ancient", VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, VK_API_VERSION_1_0},
    {"Fake Mute", VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU, VK_API_VERSION_1_1},
};

//===--- Instance ----------------------------------------------------------===//

VkResult vkEnumerateInstanceVersion(uint32_t *version) {
  *version = is("old") ? VK_API_VERSION_1_0 : VK_API_VERSION_1_3;
  return VK_SUCCESS;
}
VkResult vkCreateInstance(const VkInstanceCreateInfo *, const VkAllocationCallbacks *,
                          VkInstance *instance) {
  if (is("incompatible"))
    return VK_ERROR_INCOMPATIBLE_DRIVER;
  if (is("failing"))
    return VK_ERROR_INITIALIZATION_FAILED;
  static char handle;
  *instance = reinterpret_cast<VkInstance>(&handle);
  return VK_SUCCESS;
}
void vkDestroyInstance(VkInstance, const VkAllocationCallbacks *) {
  fake::Inside inside;
  (void)fake::enter(__func__);
}
VkResult vkEnumeratePhysicalDevices(VkInstance, uint32_t *count, VkPhysicalDevice *devices) {
  fake::Inside inside;
  if (int result = fake::enter(__func__))
    return static_cast<VkResult>(result);
  uint32_t there = is("empty") ? 0 : static_cast<uint32_t>(std::size(physicals));
  for (uint32_t i = 0; devices && i < *count && i < there; ++i)
    devices[i] = reinterpret_cast<VkPhysicalDevice>(&physicals[i]);
  *count = there;
  return VK_SUCCESS;
}
void vkGetPhysicalDeviceProperties(VkPhysicalDevice device, VkPhysicalDeviceProperties *p) {
  const unsigned i = indexOf(device);
  *p = {};
  p->apiVersion = physicals[i].api;
  p->vendorID = 0xfafe;
  p->deviceID = i;
  p->deviceType = physicals[i].type;
  std::strcpy(p->deviceName, physicals[i].name);
  p->pipelineCacheUUID[0] = static_cast<uint8_t>(i + 1);
  VkPhysicalDeviceLimits &l = p->limits;
  l.maxComputeSharedMemorySize = 32768;
  l.maxComputeWorkGroupInvocations = 1024;
  l.maxComputeWorkGroupSize[0] = i == plain ? 256 : 1024;
  l.maxComputeWorkGroupCount[0] = i == plain ? 65535 : 0x7fffffff;
  l.maxComputeWorkGroupCount[1] = 65535;
  l.maxPerStageDescriptorStorageBuffers = i == plain ? 4 : 64;
  l.maxPerStageResources = 128;
  l.maxDescriptorSetStorageBuffers = 96;
  l.maxPushConstantsSize = 128;
  l.minStorageBufferOffsetAlignment = i == plain ? 256 : 16;
  l.maxStorageBufferRange = i == plain ? 1u << 20 : 1u << 30;
  l.timestampPeriod = 1000; // a tick a microsecond
}
void vkGetPhysicalDeviceProperties2(VkPhysicalDevice device, VkPhysicalDeviceProperties2 *p) {
  const unsigned i = indexOf(device);
  vkGetPhysicalDeviceProperties(device, &p->properties);
  for (auto *block = static_cast<VkBaseOutStructure *>(p->pNext); block; block = block->pNext) {
    if (block->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES) {
      auto *subgroup = reinterpret_cast<VkPhysicalDeviceSubgroupProperties *>(block);
      subgroup->subgroupSize = i == modern ? 16 : i == software ? 4 : 32;
      subgroup->supportedStages = VK_SHADER_STAGE_COMPUTE_BIT;
      subgroup->supportedOperations =
          i == plain ? VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_VOTE_BIT : 0x7f;
    } else if (block->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES) {
      auto *sizes = reinterpret_cast<VkPhysicalDeviceSubgroupSizeControlProperties *>(block);
      sizes->minSubgroupSize = i == software ? 4 : 8;
      sizes->maxSubgroupSize = i == software ? 4 : 32;
      sizes->maxComputeWorkgroupSubgroups = 32;
      sizes->requiredSubgroupSizeStages = VK_SHADER_STAGE_COMPUTE_BIT;
    } else if (block->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV) {
      auto *builtins = reinterpret_cast<VkPhysicalDeviceShaderSMBuiltinsPropertiesNV *>(block);
      builtins->shaderSMCount = 20;
      builtins->shaderWarpsPerSM = 64;
    }
  }
}
void vkGetPhysicalDeviceFeatures2(VkPhysicalDevice device, VkPhysicalDeviceFeatures2 *f) {
  const unsigned i = indexOf(device);
  f->features.shaderInt64 = i != plain;
  f->features.shaderFloat64 = i == modern;
  f->features.robustBufferAccess = VK_TRUE; // not asked for: stays off
  for (auto *block = static_cast<VkBaseOutStructure *>(f->pNext); block; block = block->pNext) {
    if (block->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES)
      reinterpret_cast<VkPhysicalDeviceTimelineSemaphoreFeatures *>(block)->timelineSemaphore = 1;
    if (block->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES) {
      auto *control = reinterpret_cast<VkPhysicalDeviceSubgroupSizeControlFeatures *>(block);
      control->subgroupSizeControl = control->computeFullSubgroups = VK_TRUE;
    }
    // Half of what the word needs: it must not be told.
    if (block->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT)
      reinterpret_cast<VkPhysicalDeviceShaderAtomicFloatFeaturesEXT *>(block)
          ->shaderBufferFloat32AtomicAdd = VK_TRUE;
    // Halves in buffers, but only a part of them in shared memory; the other way round with
    // minima of f32.
    if (block->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_2_FEATURES_EXT) {
      auto *atomics = reinterpret_cast<VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT *>(block);
      atomics->shaderBufferFloat16Atomics = atomics->shaderBufferFloat16AtomicAdd = VK_TRUE;
      atomics->shaderSharedFloat16AtomicAdd = VK_TRUE;
      atomics->shaderSharedFloat32AtomicMinMax = VK_TRUE;
    }
  }
  if (i == modern && fake::hasMatrices())
    fake::addMatrixFeatures(*f);
}
void vkGetPhysicalDeviceMemoryProperties(VkPhysicalDevice device,
                                         VkPhysicalDeviceMemoryProperties *m) {
  *m = {};
  m->memoryHeapCount = 2;
  m->memoryHeaps[0] = {uint64_t(8) << 30, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
  m->memoryHeaps[1] = {uint64_t(16) << 30, 0};
  m->memoryTypeCount = 3;
  constexpr VkMemoryPropertyFlags host =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  const bool unified = indexOf(device) == software;
  m->memoryTypes[0] = {host, 1};
  m->memoryTypes[1] = {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | (unified ? host : 0u), 0};
  m->memoryTypes[2] = {host | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, 1};
}
void vkGetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice device, uint32_t *count,
                                              VkQueueFamilyProperties *families) {
  const unsigned i = indexOf(device);
  const VkQueueFamilyProperties all[] = {{i == mute ? VkQueueFlags(VK_QUEUE_TRANSFER_BIT)
                                                    : VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT,
                                          1,
                                          64,
                                          {1, 1, 1}},
                                         {VK_QUEUE_COMPUTE_BIT, 4, 36, {1, 1, 1}}};
  const uint32_t there = i == modern ? 2 : 1;
  for (uint32_t k = 0; families && k < *count && k < there; ++k)
    families[k] = all[k];
  *count = there;
}
VkResult vkEnumerateDeviceExtensionProperties(VkPhysicalDevice device, const char *,
                                              uint32_t *count, VkExtensionProperties *extensions) {
  fake::Inside inside;
  if (int result = fake::enter(__func__))
    return static_cast<VkResult>(result);
  const char *names[] = {VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME,
                         VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME,
                         VK_EXT_SHADER_ATOMIC_FLOAT_2_EXTENSION_NAME,
                         "VK_KHR_swapchain",
                         "VK_KHR_cooperative_matrix",
                         "VK_KHR_shader_bfloat16"};
  const uint32_t there = indexOf(device) != modern ? 0 : fake::hasMatrices() ? 6 : 4;
  for (uint32_t k = 0; extensions && k < *count && k < there; ++k)
    std::strcpy(extensions[k].extensionName, names[k]);
  *count = there;
  return VK_SUCCESS;
}

} // namespace

unsigned fake::indexOf(VkPhysicalDevice device) {
  return static_cast<unsigned>(reinterpret_cast<Physical *>(device) - physicals);
}

bool fake::is(const char *fault) {
  const char *set = std::getenv("FAKE_VULKAN");
  return set && std::strcmp(set, fault) == 0;
}

PFN_vkVoidFunction fake::physicalFunction(const char *name) {
#define ROW(function) {#function, reinterpret_cast<PFN_vkVoidFunction>(function)}
  static const std::map<std::string, PFN_vkVoidFunction> functions = {
      ROW(vkEnumerateInstanceVersion),
      ROW(vkCreateInstance),
      ROW(vkDestroyInstance),
      ROW(vkEnumeratePhysicalDevices),
      ROW(vkGetPhysicalDeviceProperties),
      ROW(vkGetPhysicalDeviceProperties2),
      ROW(vkGetPhysicalDeviceFeatures2),
      ROW(vkGetPhysicalDeviceMemoryProperties),
      ROW(vkGetPhysicalDeviceQueueFamilyProperties),
      ROW(vkEnumerateDeviceExtensionProperties),
  };
#undef ROW
  if (!std::strcmp(name, "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR"))
    return fake::hasMatrices() ? reinterpret_cast<PFN_vkVoidFunction>(fake::listMatrices) : nullptr;
  auto found = functions.find(name);
  return found == functions.end() ? nullptr : found->second;
}
