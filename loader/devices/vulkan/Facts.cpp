// Queries a physical device. One table lists the feature structs. The other lists the features that
// the loader enables, each with the feature that variants require.
#include "loader/devices/vulkan/Facts.h"

#include "loader/devices/vulkan/Matrices.h"
#include "loader/system/Thread.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace sextant::loader::vulkan {
namespace {

using abi::VulkanFeature;

//===--- Tables ------------------------------------------------------------===//

/// A feature struct: its place, and the version or extension that has it.
struct Block {
  size_t offset, size; ///< in Features
  VkStructureType type;
  uint32_t core;         ///< the API version that has it without an extension; 0: no version
  const char *extension; ///< the extension that has it; null: not needed
};

#define SXT_BLOCK(member) offsetof(Features, member), sizeof(Features::member)
constexpr Block blocks[] = {
    {SXT_BLOCK(base), VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, VK_API_VERSION_1_1, nullptr},
    {SXT_BLOCK(storage16), VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES,
     VK_API_VERSION_1_1, nullptr},
    {SXT_BLOCK(storage8), VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES,
     VK_API_VERSION_1_2, VK_KHR_8BIT_STORAGE_EXTENSION_NAME},
    {SXT_BLOCK(float16Int8), VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES,
     VK_API_VERSION_1_2, VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME},
    {SXT_BLOCK(atomicInt64), VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_INT64_FEATURES,
     VK_API_VERSION_1_2, VK_KHR_SHADER_ATOMIC_INT64_EXTENSION_NAME},
    {SXT_BLOCK(memoryModel), VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES,
     VK_API_VERSION_1_2, VK_KHR_VULKAN_MEMORY_MODEL_EXTENSION_NAME},
    {SXT_BLOCK(extendedTypes),
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SUBGROUP_EXTENDED_TYPES_FEATURES, VK_API_VERSION_1_2,
     VK_KHR_SHADER_SUBGROUP_EXTENDED_TYPES_EXTENSION_NAME},
    {SXT_BLOCK(timeline), VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
     VK_API_VERSION_1_2, VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME},
    {SXT_BLOCK(sizeControl), VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES,
     VK_API_VERSION_1_3, VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME},
    {SXT_BLOCK(addresses), VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES,
     VK_API_VERSION_1_2, VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME},
    {SXT_BLOCK(atomicFloat), VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT, 0,
     VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME},
    {SXT_BLOCK(atomicFloat2), VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_2_FEATURES_EXT,
     0, VK_EXT_SHADER_ATOMIC_FLOAT_2_EXTENSION_NAME},
    {SXT_BLOCK(clock), VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR, 0,
     VK_KHR_SHADER_CLOCK_EXTENSION_NAME},
    {SXT_BLOCK(cooperative), VkStructureType(1000506000), 0, "VK_KHR_cooperative_matrix"},
    {SXT_BLOCK(bfloat16), VkStructureType(1000141000), 0, "VK_KHR_shader_bfloat16"},
};
#undef SXT_BLOCK

/// A feature that the loader enables if the device has it. A VulkanFeature may have several rows,
/// one after another. It holds if all of them do.
struct Feature {
  VulkanFeature feature; ///< None: not for variants
  size_t offset;         ///< in Features
  VkStructureType type;  ///< struct of all features of a version that has it too, and …
  size_t there;          ///< … where; APPLICATION_INFO: no such struct
};

constexpr VkStructureType nowhere = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                          vulkan11 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
                          vulkan12 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                          vulkan13 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
#define SXT_AT(member) offsetof(Features, member)
#define SXT_11(member) vulkan11, offsetof(VkPhysicalDeviceVulkan11Features, member)
#define SXT_12(member) vulkan12, offsetof(VkPhysicalDeviceVulkan12Features, member)
#define SXT_13(member) vulkan13, offsetof(VkPhysicalDeviceVulkan13Features, member)
constexpr Feature wanted[] = {
    {VulkanFeature::Int64, SXT_AT(base.features.shaderInt64), nowhere, 0},
    {VulkanFeature::Float64, SXT_AT(base.features.shaderFloat64), nowhere, 0},
    {VulkanFeature::Int16, SXT_AT(base.features.shaderInt16), nowhere, 0},
    {VulkanFeature::Float16, SXT_AT(float16Int8.shaderFloat16), SXT_12(shaderFloat16)},
    {VulkanFeature::Int8, SXT_AT(float16Int8.shaderInt8), SXT_12(shaderInt8)},
    {VulkanFeature::Storage16, SXT_AT(storage16.storageBuffer16BitAccess),
     SXT_11(storageBuffer16BitAccess)},
    {VulkanFeature::Push16, SXT_AT(storage16.storagePushConstant16), SXT_11(storagePushConstant16)},
    {VulkanFeature::Storage8, SXT_AT(storage8.storageBuffer8BitAccess),
     SXT_12(storageBuffer8BitAccess)},
    {VulkanFeature::Push8, SXT_AT(storage8.storagePushConstant8), SXT_12(storagePushConstant8)},
    {VulkanFeature::Int64Atomics, SXT_AT(atomicInt64.shaderBufferInt64Atomics),
     SXT_12(shaderBufferInt64Atomics)},
    {VulkanFeature::SharedInt64Atomics, SXT_AT(atomicInt64.shaderSharedInt64Atomics),
     SXT_12(shaderSharedInt64Atomics)},
    {VulkanFeature::MemoryModel, SXT_AT(memoryModel.vulkanMemoryModel), SXT_12(vulkanMemoryModel)},
    {VulkanFeature::MemoryModel, SXT_AT(memoryModel.vulkanMemoryModelDeviceScope),
     SXT_12(vulkanMemoryModelDeviceScope)},
    {VulkanFeature::SubgroupExtendedTypes, SXT_AT(extendedTypes.shaderSubgroupExtendedTypes),
     SXT_12(shaderSubgroupExtendedTypes)},
    {VulkanFeature::BufferAddresses, SXT_AT(addresses.bufferDeviceAddress),
     SXT_12(bufferDeviceAddress)},
    {VulkanFeature::Float32Atomics, SXT_AT(atomicFloat.shaderBufferFloat32Atomics), nowhere, 0},
    {VulkanFeature::Float32Atomics, SXT_AT(atomicFloat.shaderBufferFloat32AtomicAdd), nowhere, 0},
    {VulkanFeature::Float32Atomics, SXT_AT(atomicFloat.shaderSharedFloat32Atomics), nowhere, 0},
    {VulkanFeature::Float32Atomics, SXT_AT(atomicFloat.shaderSharedFloat32AtomicAdd), nowhere, 0},
    {VulkanFeature::Float64Atomics, SXT_AT(atomicFloat.shaderBufferFloat64Atomics), nowhere, 0},
    {VulkanFeature::Float64Atomics, SXT_AT(atomicFloat.shaderBufferFloat64AtomicAdd), nowhere, 0},
    {VulkanFeature::Float64Atomics, SXT_AT(atomicFloat.shaderSharedFloat64Atomics), nowhere, 0},
    {VulkanFeature::Float64Atomics, SXT_AT(atomicFloat.shaderSharedFloat64AtomicAdd), nowhere, 0},
    {VulkanFeature::Float16Atomics, SXT_AT(atomicFloat2.shaderBufferFloat16Atomics), nowhere, 0},
    {VulkanFeature::Float16Atomics, SXT_AT(atomicFloat2.shaderBufferFloat16AtomicAdd), nowhere, 0},
    {VulkanFeature::SharedFloat16Atomics, SXT_AT(atomicFloat2.shaderSharedFloat16Atomics), nowhere,
     0},
    {VulkanFeature::SharedFloat16Atomics, SXT_AT(atomicFloat2.shaderSharedFloat16AtomicAdd),
     nowhere, 0},
    {VulkanFeature::Float16MinMaxAtomics, SXT_AT(atomicFloat2.shaderBufferFloat16AtomicMinMax),
     nowhere, 0},
    {VulkanFeature::SharedFloat16MinMaxAtomics,
     SXT_AT(atomicFloat2.shaderSharedFloat16AtomicMinMax), nowhere, 0},
    {VulkanFeature::Float32MinMaxAtomics, SXT_AT(atomicFloat2.shaderBufferFloat32AtomicMinMax),
     nowhere, 0},
    {VulkanFeature::SharedFloat32MinMaxAtomics,
     SXT_AT(atomicFloat2.shaderSharedFloat32AtomicMinMax), nowhere, 0},
    {VulkanFeature::Float64MinMaxAtomics, SXT_AT(atomicFloat2.shaderBufferFloat64AtomicMinMax),
     nowhere, 0},
    {VulkanFeature::SharedFloat64MinMaxAtomics,
     SXT_AT(atomicFloat2.shaderSharedFloat64AtomicMinMax), nowhere, 0},
    {VulkanFeature::ShaderClock, SXT_AT(clock.shaderDeviceClock), nowhere, 0},
    {VulkanFeature::None, SXT_AT(cooperative.matrices), nowhere, 0},
    {VulkanFeature::None, SXT_AT(bfloat16.type), nowhere, 0},
    {VulkanFeature::None, SXT_AT(bfloat16.matrices), nowhere, 0},
    {VulkanFeature::None, SXT_AT(timeline.timelineSemaphore), SXT_12(timelineSemaphore)},
    {VulkanFeature::None, SXT_AT(sizeControl.subgroupSizeControl), SXT_13(subgroupSizeControl)},
    {VulkanFeature::None, SXT_AT(sizeControl.computeFullSubgroups), SXT_13(computeFullSubgroups)},
};
#undef SXT_AT
#undef SXT_11
#undef SXT_12
#undef SXT_13

struct SubgroupWord {
  VkSubgroupFeatureFlagBits bit;
  VulkanFeature feature;
};
constexpr SubgroupWord subgroupWords[] = {
    {VK_SUBGROUP_FEATURE_BASIC_BIT, VulkanFeature::SubgroupBasic},
    {VK_SUBGROUP_FEATURE_VOTE_BIT, VulkanFeature::SubgroupVote},
    {VK_SUBGROUP_FEATURE_BALLOT_BIT, VulkanFeature::SubgroupBallot},
    {VK_SUBGROUP_FEATURE_ARITHMETIC_BIT, VulkanFeature::SubgroupArithmetic},
    {VK_SUBGROUP_FEATURE_SHUFFLE_BIT, VulkanFeature::SubgroupShuffle},
    {VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT, VulkanFeature::SubgroupShuffleRelative},
    {VK_SUBGROUP_FEATURE_CLUSTERED_BIT, VulkanFeature::SubgroupClustered},
};

/// The execution modes that preserve NaN, infinities, signed zeros and subnormal numbers.
struct FloatWord {
  VkBool32 VkPhysicalDeviceFloatControlsProperties::*holds;
  VulkanFeature feature;
};
constexpr FloatWord floatWords[] = {
    {&VkPhysicalDeviceFloatControlsProperties::shaderDenormPreserveFloat16,
     VulkanFeature::Float16Denorms},
    {&VkPhysicalDeviceFloatControlsProperties::shaderDenormPreserveFloat32,
     VulkanFeature::Float32Denorms},
    {&VkPhysicalDeviceFloatControlsProperties::shaderDenormPreserveFloat64,
     VulkanFeature::Float64Denorms},
    {&VkPhysicalDeviceFloatControlsProperties::shaderSignedZeroInfNanPreserveFloat16,
     VulkanFeature::Float16InfNan},
    {&VkPhysicalDeviceFloatControlsProperties::shaderSignedZeroInfNanPreserveFloat32,
     VulkanFeature::Float32InfNan},
    {&VkPhysicalDeviceFloatControlsProperties::shaderSignedZeroInfNanPreserveFloat64,
     VulkanFeature::Float64InfNan},
};

//===--- Feature structs ---------------------------------------------------===//

std::byte *at(Features &features, size_t offset) {
  return reinterpret_cast<std::byte *>(&features) + offset;
}
VkBool32 &flag(Features &features, const Feature &feature) {
  return *reinterpret_cast<VkBool32 *>(at(features, feature.offset));
}

using Extensions = std::vector<VkExtensionProperties>;

bool has(const Extensions &extensions, const char *name) {
  for (const VkExtensionProperties &extension : extensions)
    if (std::strcmp(extension.extensionName, name) == 0)
      return true;
  return false;
}

bool knows(uint32_t api, const Extensions &extensions, const Block &block) {
  return (block.core && api >= block.core) || (block.extension && has(extensions, block.extension));
}

/// Gives each struct its type, and chains those that the device knows.
void link(Features &features, uint32_t api, const Extensions &extensions) {
  void *next = nullptr;
  for (size_t i = std::size(blocks); i-- > 0;) {
    auto *block = reinterpret_cast<VkBaseOutStructure *>(at(features, blocks[i].offset));
    block->sType = blocks[i].type;
    if (!knows(api, extensions, blocks[i]))
      continue;
    block->pNext = static_cast<VkBaseOutStructure *>(next);
    next = block;
  }
}

/// Takes the features that an application enabled, from the structs that it created its device
/// with.
void takeEnabled(const VkDeviceCreateInfo &info, Features &features) {
  if (info.pEnabledFeatures)
    features.base.features = *info.pEnabledFeatures;
  for (auto *given = static_cast<const VkBaseInStructure *>(info.pNext); given;
       given = given->pNext) {
    const auto *bytes = reinterpret_cast<const std::byte *>(given);
    constexpr size_t head = sizeof(VkBaseInStructure);
    for (const Block &block : blocks)
      if (block.type == given->sType)
        std::memcpy(at(features, block.offset) + head, bytes + head, block.size - head);
    for (const Feature &feature : wanted)
      if (feature.type == given->sType)
        std::memcpy(&flag(features, feature), bytes + feature.there, sizeof(VkBool32));
  }
}

/// Keeps the wanted features and clears the others.
void mask(Features &features) {
  Features kept{};
  for (const Feature &feature : wanted)
    flag(kept, feature) = flag(features, feature);
  features = kept;
}

//===--- Facts -------------------------------------------------------------===//

/// Prefers 32 if there is a choice, since most code is tuned for it; then the driver's own choice;
/// then the larger sizes.
std::vector<unsigned> wavesOf(const Abilities &a) {
  if (!a.controlsSize())
    return {a.subgroup.subgroupSize};
  std::vector<unsigned> waves;
  auto add = [&](unsigned size) {
    if (size >= a.sizes.minSubgroupSize && size <= a.sizes.maxSubgroupSize &&
        std::find(waves.begin(), waves.end(), size) == waves.end())
      waves.push_back(size);
  };
  add(32);
  add(a.subgroup.subgroupSize);
  for (unsigned size = a.sizes.maxSubgroupSize; size; size /= 2)
    add(size);
  return waves;
}

/// True if the device has what products of matrices need beside the products themselves.
bool hasAllForMatrices(const Features &f) {
  return f.cooperative.matrices && f.bfloat16.type && f.bfloat16.matrices &&
         f.memoryModel.vulkanMemoryModel && f.memoryModel.vulkanMemoryModelDeviceScope &&
         f.float16Int8.shaderFloat16 && f.float16Int8.shaderInt8 && f.base.features.shaderInt16;
}

std::vector<std::string> featuresOf(Abilities &a) {
  std::vector<std::string> words;
  auto add = [&](VulkanFeature feature) { addFeature(words, feature); };
  for (size_t i = 0; i < std::size(wanted);) {
    const VulkanFeature feature = wanted[i].feature;
    bool holds = true;
    for (; i < std::size(wanted) && wanted[i].feature == feature; ++i)
      holds = holds && flag(a.features, wanted[i]);
    if (feature != VulkanFeature::None && holds)
      add(feature);
  }
  for (const SubgroupWord &row : subgroupWords)
    if ((a.subgroup.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) &&
        (a.subgroup.supportedOperations & row.bit))
      add(row.feature);
  for (const FloatWord &row : floatWords)
    if (a.floats.*row.holds)
      add(row.feature);
  if (a.properties.limits.maxComputeSharedMemorySize >= 48 * 1024)
    add(VulkanFeature::Shared48k);
  return words;
}

void describe(Abilities &a, std::string name) {
  DeviceDescription &d = a.description;
  const VkPhysicalDeviceLimits &limits = a.properties.limits;
  d.name = std::move(name);
  d.description = a.properties.deviceName;
  d.rank = rankOf(a.properties.deviceType);
  d.facts.backend = module::vulkanFamily.name;
  d.facts.arch = std::to_string(VK_API_VERSION_MAJOR(a.api)) + "." +
                 std::to_string(VK_API_VERSION_MINOR(a.api));
  d.facts.waves = wavesOf(a);
  d.facts.features = featuresOf(a);
  d.sharedBytes = limits.maxComputeSharedMemorySize;
  d.maxThreadsPerBlock =
      std::min(limits.maxComputeWorkGroupInvocations, limits.maxComputeWorkGroupSize[0]);
  d.maxBlocks =
      static_cast<uint32_t>(std::min<uint64_t>(uint64_t(limits.maxComputeWorkGroupCount[0]) *
                                                   std::max(1u, limits.maxComputeWorkGroupCount[1]),
                                               UINT32_MAX));
  d.rowBlocks = limits.maxComputeWorkGroupCount[0];
  d.facts.numbers = {
      {abi::numbers::storageBuffers,
       std::min({limits.maxPerStageDescriptorStorageBuffers, limits.maxPerStageResources,
                 limits.maxDescriptorSetStorageBuffers}),
       0},
      {abi::numbers::sharedBytes, limits.maxComputeSharedMemorySize, 0},
      {abi::numbers::blockThreads, d.maxThreadsPerBlock, 0},
      {abi::numbers::pushBytes, limits.maxPushConstantsSize, 0}};
  for (uint32_t i = 0; i < a.memory.memoryHeapCount; ++i)
    if (a.memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT)
      d.memoryBytes = std::max<uint64_t>(d.memoryBytes, a.memory.memoryHeaps[i].size);
}

/// Finds a queue family that supports compute. Prefers one without graphics, which does not disturb
/// what the screen shows.
/// \param only the family to take; UINT32_MAX: any
void chooseFamily(const Instance &instance, uint32_t only, Abilities &a) {
  uint32_t count = 0;
  instance.GetPhysicalDeviceQueueFamilyProperties(a.physical, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  instance.GetPhysicalDeviceQueueFamilyProperties(a.physical, &count, families.data());
  bool alone = false;
  for (uint32_t i = 0; i < count; ++i) {
    const VkQueueFamilyProperties &family = families[i];
    if (!(family.queueFlags & VK_QUEUE_COMPUTE_BIT) || family.queueCount == 0 ||
        (only != UINT32_MAX && only != i))
      continue;
    bool isAlone = !(family.queueFlags & VK_QUEUE_GRAPHICS_BIT);
    if (a.queueCount && (alone || !isAlone))
      continue;
    alone = isAlone;
    a.family = i;
    a.queueCount = family.queueCount;
    a.timestampBits = family.timestampValidBits;
  }
}

sxt_status listExtensions(const Instance &instance, VkPhysicalDevice physical,
                          Extensions &extensions) {
  uint32_t count = 0;
  VkResult result = instance.EnumerateDeviceExtensionProperties(physical, nullptr, &count, nullptr);
  if (result == VK_SUCCESS) {
    extensions.resize(count);
    result =
        instance.EnumerateDeviceExtensionProperties(physical, nullptr, &count, extensions.data());
  }
  extensions.resize(count);
  return result == VK_INCOMPLETE ? SXT_OK : check(result, "vkEnumerateDeviceExtensionProperties");
}

/// Queries everything that does not depend on the enabled features.
void queryProperties(const Instance &instance, const Extensions &extensions, Abilities &a) {
  auto properties =
      typed<VkPhysicalDeviceProperties2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2);
  void **tail = &properties.pNext;
  auto ask = [&](auto &block, VkStructureType type) {
    block = {};
    block.sType = type;
    *tail = &block;
    tail = &block.pNext;
  };
  VkPhysicalDeviceShaderSMBuiltinsPropertiesNV nvidia{};
  VkPhysicalDeviceShaderCorePropertiesAMD amd{};
  ask(a.subgroup, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES);
  if (a.api >= VK_API_VERSION_1_2 || has(extensions, VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME))
    ask(a.floats, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES);
  if (a.api >= VK_API_VERSION_1_3 || has(extensions, VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME))
    ask(a.sizes, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES);
  if (has(extensions, VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME))
    ask(nvidia, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV);
  if (has(extensions, VK_AMD_SHADER_CORE_PROPERTIES_EXTENSION_NAME))
    ask(amd, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_AMD);
  instance.GetPhysicalDeviceProperties2(a.physical, &properties);
  instance.GetPhysicalDeviceMemoryProperties(a.physical, &a.memory);
  a.unified = a.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU ||
              a.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
  uint32_t &count = a.description.multiprocessors;
  if (nvidia.shaderSMCount) {
    count = nvidia.shaderSMCount;
    a.threadsPerMultiprocessor = nvidia.shaderWarpsPerSM * a.subgroup.subgroupSize;
  } else if (amd.shaderEngineCount) {
    count = amd.shaderEngineCount * amd.shaderArraysPerEngineCount * amd.computeUnitsPerShaderArray;
    a.threadsPerMultiprocessor = amd.simdPerComputeUnit * amd.wavefrontsPerSimd * amd.wavefrontSize;
  } else if (a.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU) {
    count = system::processors();
  }
}

sxt_status begin(const Instance &instance, VkPhysicalDevice physical, uint32_t api, Abilities &a,
                 Extensions &extensions) {
  a.physical = physical;
  instance.GetPhysicalDeviceProperties(physical, &a.properties);
  a.api = std::min({api, a.properties.apiVersion, newestApi | 0xfffu});
  a.api = VK_MAKE_API_VERSION(0, VK_API_VERSION_MAJOR(a.api), VK_API_VERSION_MINOR(a.api), 0);
  if (a.api < VK_API_VERSION_1_1)
    return fail(SXT_ERROR_UNSUPPORTED, "%s has only Vulkan 1.0: 1.1 is needed",
                a.properties.deviceName);
  SXT_TRY(listExtensions(instance, physical, extensions));
  queryProperties(instance, extensions, a);
  return SXT_OK;
}

void finish(const Instance &instance, std::string name, Abilities &a) {
  // Subgroup sizes count only if compute pipelines may choose theirs.
  if (!a.features.sizeControl.subgroupSizeControl ||
      !(a.sizes.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT))
    a.sizes = {};
  describe(a, std::move(name));
  a.multiplies = hasAllForMatrices(a.features) && hasMatrices(instance, a.physical);
}

} // namespace

void addFeature(std::vector<std::string> &words, abi::VulkanFeature feature) {
  const std::string word = abi::wordOf(feature);
  words.insert(std::upper_bound(words.begin(), words.end(), word), word);
}

Rank rankOf(VkPhysicalDeviceType type) {
  switch (type) {
  case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
    return Rank::Discrete;
  case VK_PHYSICAL_DEVICE_TYPE_CPU:
    return Rank::Software;
  default:
    return Rank::Integrated;
  }
}

sxt_status survey(const Instance &instance, VkPhysicalDevice physical, std::string name,
                  Abilities &a) {
  Extensions extensions;
  SXT_TRY(begin(instance, physical, newestApi, a, extensions));
  link(a.features, a.api, extensions);
  instance.GetPhysicalDeviceFeatures2(physical, &a.features.base);
  mask(a.features);
  link(a.features, a.api, extensions);
  for (const Block &block : blocks)
    if (block.extension && !(block.core && a.api >= block.core) && has(extensions, block.extension))
      a.extensions.push_back(block.extension);
  if (a.api < VK_API_VERSION_1_2 && has(extensions, VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME))
    a.extensions.push_back(VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME);
  constexpr const char *subset = "VK_KHR_portability_subset"; // must be enabled where it exists
  if (has(extensions, subset))
    a.extensions.push_back(subset);
  chooseFamily(instance, UINT32_MAX, a);
  finish(instance, std::move(name), a);
  return SXT_OK;
}

sxt_status surveyAdopted(const Instance &instance, VkPhysicalDevice physical, uint32_t api,
                         const VkDeviceCreateInfo &info, uint32_t family, Abilities &a) {
  // Properties of an extension can be queried if the driver has the extension, enabled or not.
  Extensions extensions;
  SXT_TRY(begin(instance, physical, api, a, extensions));
  takeEnabled(info, a.features);
  bool floatControls = a.api >= VK_API_VERSION_1_2;
  for (uint32_t i = 0; i < info.enabledExtensionCount; ++i)
    floatControls |= std::strcmp(info.ppEnabledExtensionNames[i],
                                 VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME) == 0;
  if (!floatControls)
    a.floats = {};
  mask(a.features);
  a.features.addresses = {}; // the application's buffers need not have addresses
  chooseFamily(instance, family, a);
  if (a.queueCount == 0)
    return fail(SXT_ERROR_INVALID_ARGUMENT, "queue family %u of %s does not compute", family,
                a.properties.deviceName);
  a.queueCount = 1;
  a.unified = false; // the application's buffers need not be mapped
  finish(instance, "vulkan:adopted", a);
  return SXT_OK;
}

} // namespace sextant::loader::vulkan
