// Vulkan's devices at work: memory is the host's; copies and fills happen, dispatches are
// noted. FakePhysicals.cpp has the list of devices. FAKE_VULKAN says what is wrong.
#include "FakeVulkan.h"
#include "FakeMatrices.h"
#include "FakePhysicals.h"
#include "FakeState.h"

#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <thread>
#include <utility>
#include <vector>

using fake::state;

namespace {

//===--- Objects -----------------------------------------------------------===//

/// An object of any kind; `fake::Object` counts it.
struct Thing : fake::Object {
  std::unique_ptr<std::byte[]> bytes; ///< memory
  Thing *memory = nullptr;            ///< a buffer's memory
  uint64_t size = 0;                  ///< a buffer's size
  uint64_t value = 0;                 ///< value of a semaphore; 1 for a signalled fence
  uint32_t count = 0;                 ///< bindings of a set's layout
  VkComputePipelineCreateInfo pipeline{};
  uint32_t requiredSize = 0;
  uint32_t rowLength = 0; ///< a pipeline's constant that says how many blocks a row has
  std::vector<VkDescriptorBufferInfo> bindings; ///< bindings of a set
  std::vector<std::function<void(Thing &)>>
      commands;               ///< commands of a command buffer: record into a run
  std::vector<Thing *> owned; ///< sets of a pool, buffers of a pool
  // While a command buffer runs:
  Thing *boundPipeline = nullptr, *boundSet = nullptr;
  unsigned char push[128];
  unsigned pushBytes = 0;
  uint64_t blocks = 0; ///< blocks of the launch, so far
};

struct Submission {
  Thing *commands;
  std::vector<std::pair<Thing *, uint64_t>> waits;
  Thing *signal;
  uint64_t value;
  Thing *fence;
};

FakeDispatch lastDispatch;
bool holding = false;
int commandsRun = 0;
std::set<void *> queuesUsed;
std::string deviceExtensions;
std::vector<Submission> held;
void (*afterSubmit)() = nullptr;
char queueHandles[8]; ///< only addresses
Thing noCommands;     ///< the commands of a submission that has none

template <class Handle> Thing *thing(Handle handle) { return reinterpret_cast<Thing *>(handle); }

template <class Handle> Thing *create(const char *kind, Handle *handle) {
  auto *made = new Thing;
  made->kind = kind;
  state().alive.insert(made);
  *handle = reinterpret_cast<Handle>(made);
  return made;
}
template <class Handle> void destroy(Handle handle, const char *kind) {
  if (!handle)
    return;
  state().misuses += state().silent;
  Thing *gone = thing(handle);
  if (!state().alive.count(gone) || gone->kind != kind) {
    ++state().misuses;
    return;
  }
  for (Thing *part : gone->owned)
    delete part;
  state().alive.erase(gone);
  delete gone;
}

uint32_t entryPoints(std::span<const uint32_t> words) {
  constexpr size_t header = 5;
  uint32_t count = 0;
  for (size_t at = header; at < words.size(); at += words[at] >> 16)
    count += (words[at] & 0xffff) == 15; // OpEntryPoint
  return count;
}

void run(const Submission &submission) {
  for (const auto &[semaphore, value] : submission.waits)
    if (semaphore->value < value) // nothing is submitted before what it waits for
      ++state().misuses;
  for (const auto &command : submission.commands->commands)
    command(*submission.commands);
  if (submission.signal)
    submission.signal->value = submission.value;
  if (submission.fence)
    submission.fence->value = 1;
}

void runHeld() {
  std::vector<Submission> now;
  now.swap(held);
  for (const Submission &submission : now)
    run(submission);
}

std::byte *at(VkBuffer buffer, uint64_t offset, uint64_t bytes) {
  Thing *b = thing(buffer);
  if (offset + bytes > b->size) {
    ++state().misuses;
    return nullptr;
  }
  return b->memory->bytes.get() + offset;
}

//===--- Device ------------------------------------------------------------===//

#define RETURN_IF_FAILING                                                                          \
  fake::Inside inside;                                                                             \
  if (int result = fake::enter(__func__))                                                          \
    return static_cast<VkResult>(result);
#define COUNT                                                                                      \
  fake::Inside inside;                                                                             \
  (void)fake::enter(__func__);

using Callbacks = VkAllocationCallbacks;

VkResult vkCreateDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                        const Callbacks *, VkDevice *device) {
  RETURN_IF_FAILING
  deviceExtensions.clear();
  for (uint32_t i = 0; i < info->enabledExtensionCount; ++i)
    deviceExtensions += std::string(info->ppEnabledExtensionNames[i]) + " ";
  for (auto *block = static_cast<const VkBaseInStructure *>(info->pNext); block;
       block = block->pNext)
    if (block->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2 &&
        reinterpret_cast<const VkPhysicalDeviceFeatures2 *>(block)->features.robustBufferAccess)
      ++state().misuses;
  Thing *made = create("device", device);
  made->device = static_cast<int>(fake::indexOf(physical));
  return VK_SUCCESS;
}
void vkDestroyDevice(VkDevice device, const Callbacks *) {
  COUNT
  destroy(device, "device");
}
void vkGetDeviceQueue(VkDevice, uint32_t, uint32_t index, VkQueue *queue) {
  *queue = reinterpret_cast<VkQueue>(&queueHandles[index]);
}
VkResult submit(VkQueue queue, const VkSubmitInfo *info, VkFence fence) {
  fake::Inside inside;
  if (int result = fake::enter("vkQueueSubmit"))
    return static_cast<VkResult>(result);
  queuesUsed.insert(queue);
  Thing *commands = info->commandBufferCount ? thing(info->pCommandBuffers[0]) : &noCommands;
  Submission s{commands, {}, nullptr, 0, thing(fence)};
  if (auto *numbers = static_cast<const VkTimelineSemaphoreSubmitInfo *>(info->pNext)) {
    for (uint32_t i = 0; i < info->waitSemaphoreCount; ++i)
      s.waits.emplace_back(thing(info->pWaitSemaphores[i]), numbers->pWaitSemaphoreValues[i]);
    s.signal = thing(info->pSignalSemaphores[0]);
    s.value = numbers->pSignalSemaphoreValues[0];
  }
  held.push_back(std::move(s));
  if (!holding && !state().silent)
    runHeld();
  return VK_SUCCESS;
}
VkResult vkQueueSubmit(VkQueue queue, uint32_t, const VkSubmitInfo *info, VkFence fence) {
  const VkResult result = submit(queue, info, fence);
  if (void (*call)() = std::exchange(afterSubmit, nullptr))
    std::thread(call).join();
  return result;
}
VkResult vkAllocateMemory(VkDevice, const VkMemoryAllocateInfo *info, const Callbacks *,
                          VkDeviceMemory *memory) {
  RETURN_IF_FAILING
  if (info->allocationSize > uint64_t(1) << 30)
    return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  create("memory", memory)->bytes = std::make_unique<std::byte[]>(info->allocationSize);
  return VK_SUCCESS;
}
void vkFreeMemory(VkDevice, VkDeviceMemory memory, const Callbacks *) {
  COUNT
  destroy(memory, "memory");
}
VkResult vkMapMemory(VkDevice, VkDeviceMemory memory, VkDeviceSize, VkDeviceSize, VkMemoryMapFlags,
                     void **mapped) {
  RETURN_IF_FAILING
  *mapped = thing(memory)->bytes.get();
  return VK_SUCCESS;
}
VkResult vkCreateBuffer(VkDevice, const VkBufferCreateInfo *info, const Callbacks *,
                        VkBuffer *buffer) {
  RETURN_IF_FAILING
  create("buffer", buffer)->size = info->size;
  return VK_SUCCESS;
}
void vkDestroyBuffer(VkDevice, VkBuffer buffer, const Callbacks *) {
  COUNT
  destroy(buffer, "buffer");
}
void vkGetBufferMemoryRequirements(VkDevice, VkBuffer buffer, VkMemoryRequirements *wants) {
  *wants = {thing(buffer)->size, 256, 0x7};
}
VkResult vkBindBufferMemory(VkDevice, VkBuffer buffer, VkDeviceMemory memory, VkDeviceSize) {
  RETURN_IF_FAILING
  thing(buffer)->memory = thing(memory);
  return VK_SUCCESS;
}
VkResult vkCreateShaderModule(VkDevice, const VkShaderModuleCreateInfo *info, const Callbacks *,
                              VkShaderModule *module) {
  RETURN_IF_FAILING
  create("shader", module)->count = entryPoints({info->pCode, info->codeSize / sizeof(uint32_t)});
  return VK_SUCCESS;
}
void vkDestroyShaderModule(VkDevice, VkShaderModule module, const Callbacks *) {
  COUNT
  destroy(module, "shader");
}
VkResult vkCreateComputePipelines(VkDevice, VkPipelineCache, uint32_t,
                                  const VkComputePipelineCreateInfo *info, const Callbacks *,
                                  VkPipeline *pipeline) {
  RETURN_IF_FAILING
  state().misuses += thing(info->stage.module)->count != 1; // it would pay for the others too
  Thing *made = create("pipeline", pipeline);
  made->text = info->stage.pName;
  made->pipeline = *info;
  if (auto *size = static_cast<const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo *>(
          info->stage.pNext))
    made->requiredSize = size->requiredSubgroupSize;
  if (const VkSpecializationInfo *constants = info->stage.pSpecializationInfo)
    for (uint32_t i = 0; i < constants->mapEntryCount; ++i)
      if (constants->pMapEntries[i].constantID == 0)
        std::memcpy(&made->rowLength,
                    static_cast<const char *>(constants->pData) + constants->pMapEntries[i].offset,
                    sizeof made->rowLength);
  return VK_SUCCESS;
}
void vkDestroyPipeline(VkDevice, VkPipeline pipeline, const Callbacks *) {
  COUNT
  destroy(pipeline, "pipeline");
}
VkResult vkCreatePipelineLayout(VkDevice, const VkPipelineLayoutCreateInfo *, const Callbacks *,
                                VkPipelineLayout *layout) {
  RETURN_IF_FAILING
  create("layout", layout);
  return VK_SUCCESS;
}
void vkDestroyPipelineLayout(VkDevice, VkPipelineLayout layout, const Callbacks *) {
  COUNT
  destroy(layout, "layout");
}
VkResult vkCreatePipelineCache(VkDevice, const VkPipelineCacheCreateInfo *info, const Callbacks *,
                               VkPipelineCache *cache) {
  RETURN_IF_FAILING
  Thing *made = create("cache", cache);
  made->text.assign(static_cast<const char *>(info->pInitialData), info->initialDataSize);
  state().lastImage = made->text;
  return VK_SUCCESS;
}
VkResult vkGetPipelineCacheData(VkDevice, VkPipelineCache cache, size_t *size, void *data) {
  RETURN_IF_FAILING
  const std::string text = thing(cache)->text + "+compiled";
  if (data)
    std::memcpy(data, text.data(), std::min(*size, text.size()));
  *size = text.size();
  return VK_SUCCESS;
}
void vkDestroyPipelineCache(VkDevice, VkPipelineCache cache, const Callbacks *) {
  COUNT
  destroy(cache, "cache");
}
VkResult vkCreateDescriptorSetLayout(VkDevice, const VkDescriptorSetLayoutCreateInfo *info,
                                     const Callbacks *, VkDescriptorSetLayout *layout) {
  RETURN_IF_FAILING
  create("setlayout", layout)->count = info->bindingCount;
  return VK_SUCCESS;
}
void vkDestroyDescriptorSetLayout(VkDevice, VkDescriptorSetLayout layout, const Callbacks *) {
  COUNT
  destroy(layout, "setlayout");
}
VkResult vkCreateDescriptorPool(VkDevice, const VkDescriptorPoolCreateInfo *, const Callbacks *,
                                VkDescriptorPool *pool) {
  RETURN_IF_FAILING
  create("setpool", pool);
  return VK_SUCCESS;
}
VkResult vkResetDescriptorPool(VkDevice, VkDescriptorPool pool, VkDescriptorPoolResetFlags) {
  RETURN_IF_FAILING
  for (Thing *set : thing(pool)->owned)
    delete set;
  thing(pool)->owned.clear();
  return VK_SUCCESS;
}
void vkDestroyDescriptorPool(VkDevice, VkDescriptorPool pool, const Callbacks *) {
  COUNT
  destroy(pool, "setpool");
}
VkResult vkAllocateDescriptorSets(VkDevice, const VkDescriptorSetAllocateInfo *info,
                                  VkDescriptorSet *set) {
  RETURN_IF_FAILING
  auto *made = new Thing;
  made->bindings.resize(thing(info->pSetLayouts[0])->count);
  thing(info->descriptorPool)->owned.push_back(made);
  *set = reinterpret_cast<VkDescriptorSet>(made);
  return VK_SUCCESS;
}
void vkUpdateDescriptorSets(VkDevice, uint32_t, const VkWriteDescriptorSet *write, uint32_t,
                            const VkCopyDescriptorSet *) {
  COUNT
  Thing *set = thing(write->dstSet);
  if (write->descriptorCount != set->bindings.size())
    ++state().misuses;
  std::copy_n(write->pBufferInfo, set->bindings.size(), set->bindings.begin());
}

//===--- Commands ----------------------------------------------------------===//

VkResult vkCreateCommandPool(VkDevice, const VkCommandPoolCreateInfo *, const Callbacks *,
                             VkCommandPool *pool) {
  RETURN_IF_FAILING
  create("pool", pool);
  return VK_SUCCESS;
}
VkResult vkResetCommandPool(VkDevice, VkCommandPool pool, VkCommandPoolResetFlags) {
  RETURN_IF_FAILING
  for (const Submission &s : held)
    for (Thing *commands : thing(pool)->owned)
      state().misuses += s.commands == commands; // still to run
  for (Thing *commands : thing(pool)->owned)
    commands->commands.clear();
  return VK_SUCCESS;
}
void vkDestroyCommandPool(VkDevice, VkCommandPool pool, const Callbacks *) {
  COUNT
  destroy(pool, "pool");
}
VkResult vkAllocateCommandBuffers(VkDevice, const VkCommandBufferAllocateInfo *info,
                                  VkCommandBuffer *commands) {
  RETURN_IF_FAILING
  auto *made = new Thing;
  made->count = info->level;
  thing(info->commandPool)->owned.push_back(made);
  *commands = reinterpret_cast<VkCommandBuffer>(made);
  return VK_SUCCESS;
}
VkResult vkBeginCommandBuffer(VkCommandBuffer commands, const VkCommandBufferBeginInfo *info) {
  RETURN_IF_FAILING
  if (thing(commands)->count == VK_COMMAND_BUFFER_LEVEL_SECONDARY)
    state().misuses +=
        !info->pInheritanceInfo || info->flags != VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
  return VK_SUCCESS;
}
VkResult vkEndCommandBuffer(VkCommandBuffer) {
  RETURN_IF_FAILING
  return VK_SUCCESS;
}
void vkCmdBindPipeline(VkCommandBuffer commands, VkPipelineBindPoint, VkPipeline pipeline) {
  COUNT
  thing(commands)->commands.push_back([=](Thing &run) {
    run.boundPipeline = thing(pipeline);
    run.boundSet = nullptr; // a launch binds all that it uses
    run.pushBytes = 0;
    run.blocks = 0;
  });
}
void vkCmdBindDescriptorSets(VkCommandBuffer commands, VkPipelineBindPoint, VkPipelineLayout,
                             uint32_t, uint32_t, const VkDescriptorSet *sets, uint32_t,
                             const uint32_t *) {
  COUNT
  VkDescriptorSet set = *sets;
  thing(commands)->commands.push_back([=](Thing &run) { run.boundSet = thing(set); });
}
void vkCmdPushConstants(VkCommandBuffer commands, VkPipelineLayout, VkShaderStageFlags, uint32_t,
                        uint32_t size, const void *values) {
  COUNT
  std::vector<std::byte> copy(size);
  std::memcpy(copy.data(), values, size);
  thing(commands)->commands.push_back([=](Thing &run) {
    std::memcpy(run.push, copy.data(), size);
    run.pushBytes = size;
  });
}
void vkCmdDispatchBase(VkCommandBuffer commands, uint32_t baseX, uint32_t baseY, uint32_t baseZ,
                       uint32_t x, uint32_t y, uint32_t z) {
  COUNT
  state().misuses += x == 0 || y == 0 || z != 1 || baseX || baseZ;
  thing(commands)->commands.push_back([=](Thing &run) {
    ++commandsRun;
    const VkComputePipelineCreateInfo &pipeline = run.boundPipeline->pipeline;
    state().misuses += baseY && !(pipeline.flags & VK_PIPELINE_CREATE_DISPATCH_BASE_BIT);
    FakeDispatch &last = lastDispatch;
    last = {};
    // Rows are whole but for the last, and come one after another.
    state().misuses += run.blocks != uint64_t(baseY) * run.boundPipeline->rowLength;
    state().misuses += y > 1 && x != run.boundPipeline->rowLength;
    last.blocks = run.blocks += uint64_t(x) * y;
    last.rowLength = run.boundPipeline->rowLength;
    std::strncpy(last.name, run.boundPipeline->text.c_str(), sizeof last.name - 1);
    last.grid = x;
    last.requiredSize = run.boundPipeline->requiredSize;
    last.fullSubgroups =
        (pipeline.stage.flags & VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT) != 0;
    last.pushBytes = run.pushBytes;
    std::memcpy(last.push, run.push, run.pushBytes);
    if (run.boundSet) {
      const auto &bindings = run.boundSet->bindings;
      last.bufferCount = static_cast<unsigned>(bindings.size());
      for (size_t i = 0; i < bindings.size() && i < 16; ++i) {
        last.offsets[i] = bindings[i].offset;
        last.ranges[i] = bindings[i].range;
        const std::byte *bytes = at(bindings[i].buffer, bindings[i].offset, bindings[i].range);
        if (bytes)
          std::memcpy(last.first, bytes, std::min<uint64_t>(bindings[i].range, sizeof last.first));
      }
      if (fake::hasMatrices() && std::strcmp(last.name, "main") == 0)
        fake::showComponents(at(bindings[0].buffer, bindings[0].offset, bindings[0].range),
                             at(bindings[1].buffer, bindings[1].offset, bindings[1].range));
    }
  });
}
void vkCmdDispatch(VkCommandBuffer commands, uint32_t x, uint32_t y, uint32_t z) {
  vkCmdDispatchBase(commands, 0, 0, 0, x, y, z);
}
void vkCmdPipelineBarrier(VkCommandBuffer, VkPipelineStageFlags, VkPipelineStageFlags,
                          VkDependencyFlags, uint32_t, const VkMemoryBarrier *, uint32_t,
                          const VkBufferMemoryBarrier *, uint32_t, const VkImageMemoryBarrier *) {
  COUNT
}
void vkCmdCopyBuffer(VkCommandBuffer commands, VkBuffer from, VkBuffer to, uint32_t count,
                     const VkBufferCopy *regions) {
  COUNT
  std::vector<VkBufferCopy> all(regions, regions + count);
  thing(commands)->commands.push_back([=](Thing &) {
    ++commandsRun;
    for (const VkBufferCopy &r : all) {
      std::byte *target = at(to, r.dstOffset, r.size);
      const std::byte *source = at(from, r.srcOffset, r.size);
      if (target && source)
        std::memmove(target, source, r.size);
    }
  });
}
void vkCmdFillBuffer(VkCommandBuffer commands, VkBuffer buffer, VkDeviceSize offset,
                     VkDeviceSize size, uint32_t word) {
  COUNT
  state().misuses += offset % 4 != 0 || size % 4 != 0 || size == 0;
  thing(commands)->commands.push_back([=](Thing &) {
    ++commandsRun;
    std::byte *target = at(buffer, offset, size);
    for (uint64_t i = 0; target && i < size; i += 4)
      std::memcpy(target + i, &word, 4);
  });
}
void vkCmdExecuteCommands(VkCommandBuffer commands, uint32_t count,
                          const VkCommandBuffer *secondary) {
  COUNT
  Thing *given = thing(*secondary);
  state().misuses += count != 1 || given->count != VK_COMMAND_BUFFER_LEVEL_SECONDARY ||
                     thing(commands)->count != VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  thing(commands)->commands.push_back([=](Thing &run) {
    for (const auto &command : given->commands)
      command(run);
  });
}
void vkCmdResetQueryPool(VkCommandBuffer, VkQueryPool, uint32_t, uint32_t) { COUNT }
void vkCmdWriteTimestamp(VkCommandBuffer commands, VkPipelineStageFlagBits, VkQueryPool pool,
                         uint32_t index) {
  COUNT
  thing(commands)->commands.push_back([=](Thing &) {
    static uint64_t clock = (uint64_t(1) << 36) - 600; // soon goes round
    clock = (clock + 500) & ((uint64_t(1) << 36) - 1);
    std::memcpy(thing(pool)->bytes.get() + index * sizeof clock, &clock, sizeof clock);
  });
}
VkResult vkCreateQueryPool(VkDevice, const VkQueryPoolCreateInfo *info, const Callbacks *,
                           VkQueryPool *pool) {
  RETURN_IF_FAILING
  create("queries", pool)->bytes =
      std::make_unique<std::byte[]>(info->queryCount * sizeof(uint64_t));
  return VK_SUCCESS;
}
void vkDestroyQueryPool(VkDevice, VkQueryPool pool, const Callbacks *) {
  COUNT
  destroy(pool, "queries");
}
VkResult vkGetQueryPoolResults(VkDevice, VkQueryPool pool, uint32_t first, uint32_t, size_t,
                               void *data, VkDeviceSize, VkQueryResultFlags) {
  RETURN_IF_FAILING
  std::memcpy(data, thing(pool)->bytes.get() + first * sizeof(uint64_t), sizeof(uint64_t));
  return VK_SUCCESS;
}

//===--- Waiting -----------------------------------------------------------===//

VkResult vkCreateSemaphore(VkDevice, const VkSemaphoreCreateInfo *, const Callbacks *,
                           VkSemaphore *semaphore) {
  RETURN_IF_FAILING
  create("semaphore", semaphore);
  return VK_SUCCESS;
}
void vkDestroySemaphore(VkDevice, VkSemaphore semaphore, const Callbacks *) {
  COUNT
  destroy(semaphore, "semaphore");
}
/// True if the device is silent, after having let some time pass.
bool timesOut(uint64_t limit) {
  if (!state().silent)
    return false;
  state().misuses += limit > 1'000'000'000; // it would be waited for without end
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return true;
}
VkResult vkWaitSemaphores(VkDevice, const VkSemaphoreWaitInfo *info, uint64_t limit) {
  RETURN_IF_FAILING
  if (timesOut(limit))
    return VK_TIMEOUT;
  runHeld();
  state().misuses += thing(info->pSemaphores[0])->value < info->pValues[0]; // would never end
  return VK_SUCCESS;
}
VkResult vkGetSemaphoreCounterValue(VkDevice, VkSemaphore semaphore, uint64_t *value) {
  RETURN_IF_FAILING
  *value = thing(semaphore)->value;
  return VK_SUCCESS;
}
VkResult vkCreateFence(VkDevice, const VkFenceCreateInfo *, const Callbacks *, VkFence *fence) {
  RETURN_IF_FAILING
  create("fence", fence);
  return VK_SUCCESS;
}
void vkDestroyFence(VkDevice, VkFence fence, const Callbacks *) {
  COUNT
  destroy(fence, "fence");
}
VkResult vkWaitForFences(VkDevice, uint32_t, const VkFence *fences, VkBool32, uint64_t limit) {
  RETURN_IF_FAILING
  if (timesOut(limit))
    return VK_TIMEOUT;
  runHeld();
  state().misuses += !thing(fences[0])->value;
  return VK_SUCCESS;
}
VkResult vkGetFenceStatus(VkDevice, VkFence fence) {
  RETURN_IF_FAILING
  return thing(fence)->value ? VK_SUCCESS : VK_NOT_READY;
}

//===--- Look-up -----------------------------------------------------------===//

PFN_vkVoidFunction lookUp(const char *name);
PFN_vkVoidFunction vkGetDeviceProcAddr(VkDevice device, const char *name) {
  fake::Inside inside;
  // A device without timelines is one where their functions would be a mistake to call.
  if (thing(device)->device == int(fake::plain) && std::strstr(name, "Semaphore") &&
      std::strstr(name, "WaitSemaphores"))
    return nullptr;
  return lookUp(name);
}

PFN_vkVoidFunction lookUp(const char *name) {
#define ROW(function) {#function, reinterpret_cast<PFN_vkVoidFunction>(function)}
  static const std::map<std::string, PFN_vkVoidFunction> functions = {
      ROW(vkCreateDevice),
      ROW(vkGetDeviceProcAddr),
      ROW(vkDestroyDevice),
      ROW(vkGetDeviceQueue),
      ROW(vkQueueSubmit),
      ROW(vkAllocateMemory),
      ROW(vkFreeMemory),
      ROW(vkMapMemory),
      ROW(vkCreateBuffer),
      ROW(vkDestroyBuffer),
      ROW(vkGetBufferMemoryRequirements),
      ROW(vkBindBufferMemory),
      ROW(vkCreateShaderModule),
      ROW(vkDestroyShaderModule),
      ROW(vkCreateComputePipelines),
      ROW(vkDestroyPipeline),
      ROW(vkCreatePipelineLayout),
      ROW(vkDestroyPipelineLayout),
      ROW(vkCreatePipelineCache),
      ROW(vkGetPipelineCacheData),
      ROW(vkDestroyPipelineCache),
      ROW(vkCreateDescriptorSetLayout),
      ROW(vkDestroyDescriptorSetLayout),
      ROW(vkCreateDescriptorPool),
      ROW(vkResetDescriptorPool),
      ROW(vkDestroyDescriptorPool),
      ROW(vkAllocateDescriptorSets),
      ROW(vkUpdateDescriptorSets),
      ROW(vkCreateCommandPool),
      ROW(vkResetCommandPool),
      ROW(vkDestroyCommandPool),
      ROW(vkAllocateCommandBuffers),
      ROW(vkBeginCommandBuffer),
      ROW(vkEndCommandBuffer),
      ROW(vkCmdBindPipeline),
      ROW(vkCmdBindDescriptorSets),
      ROW(vkCmdPushConstants),
      ROW(vkCmdDispatch),
      ROW(vkCmdDispatchBase),
      ROW(vkCmdPipelineBarrier),
      ROW(vkCmdCopyBuffer),
      ROW(vkCmdFillBuffer),
      ROW(vkCmdExecuteCommands),
      ROW(vkCmdResetQueryPool),
      ROW(vkCmdWriteTimestamp),
      ROW(vkCreateQueryPool),
      ROW(vkDestroyQueryPool),
      ROW(vkGetQueryPoolResults),
      ROW(vkCreateSemaphore),
      ROW(vkDestroySemaphore),
      ROW(vkWaitSemaphores),
      ROW(vkGetSemaphoreCounterValue),
      ROW(vkCreateFence),
      ROW(vkDestroyFence),
      ROW(vkWaitForFences),
      ROW(vkGetFenceStatus),
  };
#undef ROW
  auto found = functions.find(name);
  if (found == functions.end())
    return fake::physicalFunction(name);
  return fake::is("partial") && !std::strcmp(name, "vkCreateDevice") ? nullptr : found->second;
}

} // namespace

extern "C" {
PFN_vkVoidFunction vkGetInstanceProcAddr(VkInstance, const char *name) {
  fake::Inside inside;
  return lookUp(name);
}

const FakeDispatch *fakeLastDispatch(void) { return &lastDispatch; }
void fakeHold(int hold) { holding = hold != 0; }
void fakeRunAll(void) {
  std::lock_guard lock(state().mutex);
  runHeld();
}
void fakeAfterSubmit(void (*call)(void)) { afterSubmit = call; }
int fakeCommandsRun(void) {
  int count = commandsRun;
  commandsRun = 0;
  return count;
}
int fakeQueuesUsed(void) {
  int count = static_cast<int>(queuesUsed.size());
  queuesUsed.clear();
  return count;
}
const char *fakeDeviceExtensions(void) { return deviceExtensions.c_str(); }
}
