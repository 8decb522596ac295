// Creates and destroys devices, and keeps the state that their streams share.
#include "loader/devices/vulkan/Context.h"
#include "loader/devices/vulkan/Matrices.h"
#include "loader/system/Environment.h"

#include <algorithm>
#include <tuple>

namespace sextant::loader::vulkan {

namespace {
/// Streams take turns on these queues, so that one stream's work need not wait for another's.
constexpr uint32_t mostQueues = 8;
} // namespace

VkResult Queue::submit(const Functions &vk, const VkSubmitInfo &info, VkFence fence) {
  std::lock_guard guard(mutex);
  if (lock)
    lock(user);
  VkResult result = vk.QueueSubmit(handle, 1, &info, fence);
  if (unlock)
    unlock(user);
  return result;
}

sxt_status Context::create(const Instance &instance) {
  if (abilities.queueCount == 0)
    return fail(SXT_ERROR_UNSUPPORTED, "%s (%s) has no queue that computes", name().c_str(),
                abilities.properties.deviceName);
  // Without timeline semaphores, streams wait for each other by the order of one queue.
  bool timelines = abilities.features.timeline.timelineSemaphore;
  uint32_t count = timelines ? std::min(abilities.queueCount, mostQueues) : 1;
  const std::vector<float> priorities(count, 0.5f);
  auto queueInfo = typed<VkDeviceQueueCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO);
  queueInfo.queueFamilyIndex = abilities.family;
  queueInfo.queueCount = count;
  queueInfo.pQueuePriorities = priorities.data();
  auto info = typed<VkDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO);
  info.pNext = &abilities.features.base;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queueInfo;
  info.enabledExtensionCount = static_cast<uint32_t>(abilities.extensions.size());
  info.ppEnabledExtensionNames = abilities.extensions.data();
  SXT_TRY(
      check(instance.CreateDevice(abilities.physical, &info, nullptr, &device), "vkCreateDevice"));
  countDevices(1);
  if (const char *missing =
          vk.lookUp(instance.GetDeviceProcAddr, device, timelines, abilities.hasAddresses())) {
    // Without all functions the device is of no use; only this one may destroy it.
    if (vk.DestroyDevice)
      vk.DestroyDevice(device, nullptr);
    countDevices(-1);
    device = nullptr;
    return fail(SXT_ERROR_DEVICE, "the driver of %s has no %s", name().c_str(), missing);
  }
  queues = std::make_unique<Queue[]>(count);
  queueCount = count;
  for (uint32_t i = 0; i < count; ++i)
    vk.GetDeviceQueue(device, abilities.family, i, &queues[i].handle);
  return start();
}

sxt_status Context::adopt(const Instance &instance, VkDevice given, VkQueue queue,
                          void (*lock)(void *), void (*unlock)(void *), void *user) {
  adopted = true;
  if (const char *missing =
          vk.lookUp(instance.GetDeviceProcAddr, given,
                    abilities.features.timeline.timelineSemaphore, abilities.hasAddresses()))
    return fail(SXT_ERROR_DEVICE, "the driver of the adopted device has no %s", missing);
  device = given;
  queues = std::make_unique<Queue[]>(1);
  queueCount = 1;
  Queue &only = queues[0];
  only.handle = queue;
  only.lock = lock;
  only.unlock = unlock;
  only.user = user;
  return start();
}

sxt_status Context::start() {
  openCache(*this);
  filler.bytes = 256;
  SXT_TRY(makeBuffer(filler.bytes, false, filler.buffer, filler.memory, nullptr));
  bool lie = false;
  if (abilities.multiplies && probeMatrices(*this, lie) == SXT_OK && lie)
    addFeature(abilities.description.facts.features, abi::VulkanFeature::CooperativeMatrixMma);
  return SXT_OK;
}

Context::~Context() {
  if (!device || isGone())
    return;
  closeCache(*this);
  for (uint32_t i = 0; i < queueCount; ++i)
    if (const Queue &queue = queues[i]; queue.asked) {
      // The streams are done. This waits for the empty submissions after their work.
      auto info = typed<VkSemaphoreWaitInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO);
      info.semaphoreCount = 1;
      info.pSemaphores = &queue.asked;
      info.pValues = &queue.askedCount;
      (void)vk.WaitSemaphores(device, &info, 1'000'000'000);
      vk.DestroySemaphore(device, queue.asked, nullptr);
    }
  for (const Layout &layout : layouts) {
    vk.DestroyPipelineLayout(device, layout.pipeline, nullptr);
    vk.DestroyDescriptorSetLayout(device, layout.set, nullptr);
  }
  freeStaging.clear();
  for (VkQueryPool pool : queryPools)
    vk.DestroyQueryPool(device, pool, nullptr);
  freeBuffer(filler.buffer, filler.memory);
  for (const auto &[address, allocation] : allocations)
    if (allocation.memory)
      freeBuffer(allocation.buffer, allocation.memory);
  for (const std::unique_ptr<Slab> &slab : slabs)
    freeBuffer(slab->buffer, slab->memory);
  if (adopted)
    return;
  vk.DestroyDevice(device, nullptr);
  countDevices(-1);
}

sxt_status Context::layoutFor(uint32_t buffers, uint32_t pushBytes, Layout &layout) {
  std::lock_guard lock(mutex);
  for (const Layout &known : layouts)
    if (known.buffers == buffers && known.pushBytes == pushBytes) {
      layout = known;
      return SXT_OK;
    }
  std::vector<VkDescriptorSetLayoutBinding> bindings(buffers);
  for (uint32_t i = 0; i < buffers; ++i)
    bindings[i] = {i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
  auto setInfo =
      typed<VkDescriptorSetLayoutCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO);
  setInfo.bindingCount = buffers;
  setInfo.pBindings = bindings.data();
  Layout made{buffers, pushBytes};
  makeRoom(layouts);
  SXT_TRY(check(vk.CreateDescriptorSetLayout(device, &setInfo, nullptr, &made.set),
                "vkCreateDescriptorSetLayout"));
  VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, pushBytes};
  auto info = typed<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
  info.setLayoutCount = 1;
  info.pSetLayouts = &made.set;
  info.pushConstantRangeCount = pushBytes ? 1 : 0;
  info.pPushConstantRanges = &range;
  VkResult result = vk.CreatePipelineLayout(device, &info, nullptr, &made.pipeline);
  if (result != VK_SUCCESS) {
    vk.DestroyDescriptorSetLayout(device, made.set, nullptr);
    return failed(result, "vkCreatePipelineLayout");
  }
  layouts.push_back(made);
  layout = made;
  return SXT_OK;
}

//===--- Devices that are gone ---------------------------------------------===//

VkResult Context::createTimeline(VkSemaphore &semaphore) {
  auto type = typed<VkSemaphoreTypeCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  auto info = typed<VkSemaphoreCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO);
  info.pNext = &type;
  return vk.CreateSemaphore(device, &info, nullptr, &semaphore);
}

/// Submits no work. A driver refuses this once it knows that the device is lost, even a driver that
/// does not tell those who wait.
VkResult Context::ask(Queue &queue) {
  std::lock_guard lock(queue.askMutex);
  auto info = typed<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
  if (!hasTimelines())
    return queue.submit(vk, info, nullptr);
  if (!queue.asked)
    if (VkResult result = createTimeline(queue.asked); result != VK_SUCCESS)
      return result;
  // The submission signals a semaphore, because a driver may skip a submission without any effect.
  const uint64_t number = queue.askedCount + 1;
  auto numbers =
      typed<VkTimelineSemaphoreSubmitInfo>(VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
  numbers.signalSemaphoreValueCount = 1;
  numbers.pSignalSemaphoreValues = &number;
  info.pNext = &numbers;
  info.signalSemaphoreCount = 1;
  info.pSignalSemaphores = &queue.asked;
  const VkResult result = queue.submit(vk, info, nullptr);
  if (result == VK_SUCCESS)
    queue.askedCount = number;
  return result;
}

sxt_status Context::stillThere(Queue &queue, Patience &patience) {
  SXT_TRY(present());
  if (patience.isOver()) {
    presence.lose();
    return fail(SXT_ERROR_DEVICE,
                "%s did not finish within SEXTANT_WAIT_LIMIT=%s seconds: it counts as lost",
                name().c_str(), system::environment("SEXTANT_WAIT_LIMIT"));
  }
  // Other failures do not mean that the device is lost.
  if (!patience.shouldAsk() || ask(queue) != VK_ERROR_DEVICE_LOST)
    return SXT_OK;
  presence.lose();
  return failed(VK_ERROR_DEVICE_LOST, "vkQueueSubmit");
}

//===--- Timestamps --------------------------------------------------------===//

sxt_status Context::stamp(std::shared_ptr<Stamp> &stamp) {
  auto made = std::make_shared<Stamp>(*this);
  std::lock_guard lock(mutex);
  if (freeStamps.empty()) {
    constexpr uint32_t count = 64;
    auto info = typed<VkQueryPoolCreateInfo>(VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO);
    info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    info.queryCount = count;
    VkQueryPool pool = nullptr;
    makeRoom(queryPools);
    freeStamps.reserve((queryPools.size() + 1) * count); // all come back, and must fit
    SXT_TRY(check(vk.CreateQueryPool(device, &info, nullptr, &pool), "vkCreateQueryPool"));
    queryPools.push_back(pool);
    for (uint32_t i = count; i-- > 0;)
      freeStamps.emplace_back(pool, i);
  }
  std::tie(made->pool, made->index) = freeStamps.back();
  freeStamps.pop_back();
  stamp = std::move(made);
  return SXT_OK;
}

Stamp::~Stamp() {
  if (!pool)
    return;
  std::lock_guard lock(context.mutex);
  context.freeStamps.emplace_back(pool, index);
}

} // namespace sextant::loader::vulkan
