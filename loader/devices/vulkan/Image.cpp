// Makes pipelines, each from a shader module that holds only its task. A driver need not survive a
// malformed module, so this checks its outline and its entry point first.
#include "loader/devices/vulkan/Image.h"
#include "loader/devices/vulkan/Adapt.h"
#include "loader/devices/vulkan/Spirv.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>

namespace sextant::loader::vulkan {
namespace {

constexpr uint32_t spirvMagic = 0x07230203;

/// The newest SPIR-V version word that a device of that API version accepts without extensions.
uint32_t newestSpirv(uint32_t api) {
  return api >= VK_API_VERSION_1_3 ? 0x10600 : api >= VK_API_VERSION_1_2 ? 0x10500 : 0x10300;
}

/// A driver's copy of code. It lives while pipelines are made of it.
struct Shader {
  explicit Shader(Context &context) : context(context) {}
  ~Shader() { context.vk.DestroyShaderModule(context.device, module, nullptr); }
  Shader(const Shader &) = delete;
  Shader &operator=(const Shader &) = delete;

  sxt_status make(std::span<const uint32_t> code) {
    const std::vector<uint32_t> adapted = adapt(code, context.abilities);
    auto info = typed<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
    info.codeSize = adapted.size() * sizeof(uint32_t);
    info.pCode = adapted.data();
    return check(context.vk.CreateShaderModule(context.device, &info, nullptr, &module),
                 "vkCreateShaderModule");
  }

  Context &context;
  VkShaderModule module = nullptr;
};

} // namespace

class VulkanImage : public LoadedImage {
public:
  explicit VulkanImage(Context &context) : context(context) {}
  ~VulkanImage() override {
    if (context.isGone())
      return;
    for (const std::unique_ptr<VulkanTask> &task : tasks) {
      context.vk.DestroyPipeline(context.device, task->code.pipeline, nullptr);
      context.vk.DestroyPipeline(context.device, task->shifted.pipeline, nullptr);
    }
  }

  sxt_status load(std::span<const std::byte> bytes) {
    words.resize(bytes.size() / sizeof(uint32_t));
    if (!words.empty())
      std::memcpy(words.data(), bytes.data(), words.size() * sizeof(uint32_t));
    if (words.size() < spirvHeaderWords || bytes.size() % sizeof(uint32_t) ||
        words[0] != spirvMagic)
      return fail(SXT_ERROR_BAD_MODULE, "the image is not SPIR-V");
    if (words[1] > newestSpirv(context.abilities.api))
      return fail(SXT_ERROR_UNSUPPORTED,
                  "the image is SPIR-V %u.%u, which %s (Vulkan %s) is too "
                  "old for",
                  words[1] >> 16 & 0xff, words[1] >> 8 & 0xff, context.name().c_str(),
                  context.abilities.description.facts.arch.c_str());
    if (!isWhole(words))
      return fail(SXT_ERROR_BAD_MODULE, "the SPIR-V image is cut short");
    return SXT_OK;
  }

  sxt_status findTask(const module::Task &task, const module::BlockLayout &layout,
                      const module::Resources &, LoadedTask &loaded) override {
    SXT_TRY(context.present());
    if (!hasEntryPoint(words, task.symbol))
      return fail(SXT_ERROR_BAD_MODULE, "the SPIR-V image has no kernel '%s'", task.symbol.c_str());
    // The image owns the task from the start, so that a pipeline is never lost.
    auto owned = std::make_unique<VulkanTask>(*this, layout);
    VulkanTask *made = owned.get();
    {
      std::lock_guard lock(mutex);
      tasks.push_back(std::move(owned));
    }
    made->symbol = task.symbol;
    made->blockDim = task.blockDim;
    made->wave = loaded.wave;
    if (made->bindings.valueBytes <= abi::BindingPlaces::mostPushBytes)
      made->pushBytes = made->bindings.valueBytes;
    made->hasTable = takesTable(words);
    if (made->hasTable && !context.abilities.hasAddresses())
      return fail(SXT_ERROR_UNSUPPORTED, "task '%s' needs addresses of buffers, which %s lacks",
                  task.symbol.c_str(), context.name().c_str());
    const std::vector<uint32_t> code = isolate(words, task.symbol);
    made->takesRows = context.abilities.fewBlocks() && mayHaveRows(code);
    SXT_TRY(makeCode(*made, code, buffersOf(*made), made->code));
    loaded.function = made;
    loaded.blockDim = task.blockDim;
    loaded.sharedBytes = 0;
    return SXT_OK;
  }

  sxt_status makeShifted(VulkanTask &task) {
    std::lock_guard lock(mutex);
    if (task.shifted.pipeline)
      return SXT_OK;
    task.strides.assign(task.bindings.buffers.size(), 0);
    const uint32_t buffers = buffersOf(task);
    return makeCode(task, withOffsets(isolate(words, task.symbol), buffers, task.strides),
                    buffers + 1, task.shifted);
  }

private:
  /// The number of storage buffers that the task's code is bound to.
  static uint32_t buffersOf(const VulkanTask &task) {
    const auto arrays = static_cast<uint32_t>(task.bindings.buffers.size());
    return (task.hasTable ? 1 : arrays) + (task.bindings.valueBytes && !task.pushBytes);
  }

  sxt_status makeCode(const VulkanTask &task, const std::vector<uint32_t> &code, uint32_t buffers,
                      VulkanTask::Code &made) {
    const VkPhysicalDeviceLimits &limits = context.abilities.properties.limits;
    const uint32_t most =
        std::min({limits.maxPerStageDescriptorStorageBuffers, limits.maxPerStageResources,
                  limits.maxDescriptorSetStorageBuffers});
    if (buffers > most)
      return fail(SXT_ERROR_UNSUPPORTED, "task '%s' takes %u buffers: %s binds at most %u",
                  task.symbol.c_str(), buffers, context.name().c_str(), most);
    SXT_TRY(context.layoutFor(buffers, task.pushBytes, made.layout));
    Shader shader(context);
    SXT_TRY(shader.make(code));
    return makePipeline(task, shader.module, made);
  }

  sxt_status makePipeline(const VulkanTask &task, VkShaderModule shader, VulkanTask::Code &made) {
    const uint32_t wave = task.wave;
    const Abilities &a = context.abilities;
    auto info = typed<VkComputePipelineCreateInfo>(VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO);
    info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = shader;
    info.stage.pName = task.symbol.c_str();
    info.layout = made.layout.pipeline;
    const uint32_t row = a.properties.limits.maxComputeWorkGroupCount[0];
    const VkSpecializationMapEntry entry{rowConstant, 0, sizeof row};
    const VkSpecializationInfo constants{1, &entry, sizeof row, &row};
    if (task.takesRows) {
      info.flags = VK_PIPELINE_CREATE_DISPATCH_BASE_BIT;
      info.stage.pSpecializationInfo = &constants;
    }
    auto size = typed<VkPipelineShaderStageRequiredSubgroupSizeCreateInfo>(
        VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO);
    size.requiredSubgroupSize = wave;
    // If the device has only one size, asking for it would only limit the blocks.
    if (a.controlsSize() && a.sizes.minSubgroupSize != a.sizes.maxSubgroupSize) {
      uint64_t most = uint64_t(a.sizes.maxComputeWorkgroupSubgroups) * wave;
      if (task.blockDim > most)
        return fail(SXT_ERROR_UNSUPPORTED,
                    "task '%s' has blocks of %u threads: %s runs %" PRIu64 " in subgroups of %u",
                    task.symbol.c_str(), task.blockDim, context.name().c_str(), most, wave);
      info.stage.pNext = &size;
    }
    if (a.features.sizeControl.computeFullSubgroups && task.blockDim % wave == 0)
      info.stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
    VkResult result = context.vk.CreateComputePipelines(context.device, context.cache, 1, &info,
                                                        nullptr, &made.pipeline);
    if (result != VK_SUCCESS) {
      bool memory =
          result == VK_ERROR_OUT_OF_HOST_MEMORY || result == VK_ERROR_OUT_OF_DEVICE_MEMORY;
      return fail(memory ? SXT_ERROR_OUT_OF_MEMORY : SXT_ERROR_DEVICE,
                  "%s does not compile task '%s': %s", context.name().c_str(), task.symbol.c_str(),
                  describe(result).c_str());
    }
    ++context.pipelinesMade;
    return SXT_OK;
  }

  Context &context;
  std::vector<uint32_t> words; ///< code of all tasks
  std::mutex mutex;
  std::vector<std::unique_ptr<VulkanTask>> tasks;
};

sxt_status VulkanTask::makeShifted() { return image.makeShifted(*this); }

sxt_status loadSpirv(Context &context, std::span<const std::byte> bytes,
                     std::unique_ptr<LoadedImage> &image) {
  auto loaded = std::make_unique<VulkanImage>(context);
  SXT_TRY(loaded->load(bytes));
  image = std::move(loaded);
  return SXT_OK;
}

} // namespace sextant::loader::vulkan
