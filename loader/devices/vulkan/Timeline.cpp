// Submissions in order, and their progress.
#include "loader/devices/vulkan/Context.h"

#include <algorithm>
#include <cstring>

namespace sextant::loader::vulkan {

Timeline::~Timeline() {
  if (semaphore && !context.isGone())
    context.vk.DestroySemaphore(context.device, semaphore, nullptr);
}

sxt_status Timeline::start() {
  if (!context.hasTimelines())
    return SXT_OK;
  return check(context.createTimeline(semaphore), "vkCreateSemaphore");
}

std::shared_ptr<VkFence> Timeline::makeFence(VkResult &result) {
  auto fence = std::make_unique<VkFence>(VkFence{});
  auto info = typed<VkFenceCreateInfo>(VK_STRUCTURE_TYPE_FENCE_CREATE_INFO);
  result = context.vk.CreateFence(context.device, &info, nullptr, fence.get());
  Context *home = &context;
  return {fence.release(), [home](VkFence *gone) {
            if (!home->isGone())
              home->vk.DestroyFence(home->device, *gone, nullptr);
            delete gone;
          }};
}

sxt_status Timeline::submit(VkCommandBuffer commands,
                            std::span<const std::pair<std::shared_ptr<Timeline>, uint64_t>> waits,
                            std::vector<ReadBack> &reads) {
  const uint64_t number = last.load(std::memory_order_relaxed) + 1;
  {
    std::lock_guard lock(mutex); // nothing may fail after the submission
    makeRoom(readBacks, reads.size());
    makeRoom(fences);
  }
  auto info = typed<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands;
  if (!semaphore) {
    // All streams are on one queue, whose order already satisfies `waits`.
    VkResult result = VK_SUCCESS;
    Fenced fenced{number, makeFence(result)};
    SXT_TRY(check(result, "vkCreateFence"));
    SXT_TRY(check(queue.submit(context.vk, info, *fenced.fence), "vkQueueSubmit"));
    std::lock_guard lock(mutex);
    fences.push_back(std::move(fenced));
  } else {
    std::vector<VkSemaphore> semaphores(waits.size());
    std::vector<uint64_t> values(waits.size());
    for (size_t i = 0; i < waits.size(); ++i) {
      semaphores[i] = waits[i].first->semaphore;
      values[i] = waits[i].second;
    }
    const std::vector<VkPipelineStageFlags> stages(waits.size(),
                                                   VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
    auto numbers =
        typed<VkTimelineSemaphoreSubmitInfo>(VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
    numbers.waitSemaphoreValueCount = static_cast<uint32_t>(values.size());
    numbers.pWaitSemaphoreValues = values.data();
    numbers.signalSemaphoreValueCount = 1;
    numbers.pSignalSemaphoreValues = &number;
    info.pNext = &numbers;
    info.waitSemaphoreCount = static_cast<uint32_t>(semaphores.size());
    info.pWaitSemaphores = semaphores.data();
    info.pWaitDstStageMask = stages.data();
    info.signalSemaphoreCount = 1;
    info.pSignalSemaphores = &semaphore;
    SXT_TRY(check(queue.submit(context.vk, info, nullptr), "vkQueueSubmit"));
  }
  if (!reads.empty()) {
    std::lock_guard lock(mutex);
    for (ReadBack &read : reads) {
      read.number = number;
      readBacks.push_back(std::move(read));
    }
    reads.clear();
  }
  last.store(number, std::memory_order_release);
  return SXT_OK;
}

/// The host learns that submission `number` is done.
void Timeline::reach(uint64_t number) {
  std::lock_guard lock(mutex);
  size_t arrived = 0;
  for (; arrived < readBacks.size() && readBacks[arrived].number <= number; ++arrived) {
    const ReadBack &read = readBacks[arrived];
    std::memcpy(read.destination, read.staging->host + read.offset, read.bytes);
  }
  if (arrived)
    readBacks.erase(readBacks.begin(), readBacks.begin() + static_cast<ptrdiff_t>(arrived));
  std::erase_if(fences, [&](const Fenced &fenced) { return fenced.number <= number; });
  if (done.load(std::memory_order_relaxed) < number)
    done.store(number, std::memory_order_release);
}

sxt_status Timeline::poll(uint64_t number, bool &isDone) {
  isDone = done.load(std::memory_order_acquire) >= number;
  if (isDone)
    return SXT_OK;
  SXT_TRY(context.present());
  // The device may be done with a submission that submit() has yet to note the reads of.
  const uint64_t noted = submitted();
  uint64_t reached = 0;
  if (semaphore) {
    SXT_TRY(check(context.vk.GetSemaphoreCounterValue(context.device, semaphore, &reached),
                  "vkGetSemaphoreCounterValue"));
  } else {
    std::unique_lock lock(mutex);
    for (const Fenced &fenced : fences) {
      VkResult result = context.vk.GetFenceStatus(context.device, *fenced.fence);
      if (result == VK_NOT_READY)
        break;
      SXT_TRY(check(result, "vkGetFenceStatus"));
      reached = fenced.number;
    }
  }
  reached = std::min(reached, noted);
  if (reached)
    reach(reached);
  isDone = reached >= number;
  return SXT_OK;
}

/// Returns VK_TIMEOUT if it is not done yet.
VkResult Timeline::waitFor(uint64_t number, Patience::Clock::duration slice) {
  const auto limit = static_cast<uint64_t>(std::chrono::nanoseconds(slice).count());
  if (semaphore) {
    auto info = typed<VkSemaphoreWaitInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO);
    info.semaphoreCount = 1;
    info.pSemaphores = &semaphore;
    info.pValues = &number;
    return context.vk.WaitSemaphores(context.device, &info, limit);
  }
  std::shared_ptr<VkFence> fence; // kept for as long as it is waited for
  {
    std::lock_guard lock(mutex);
    for (const Fenced &fenced : fences)
      if (fenced.number == number)
        fence = fenced.fence;
  }
  return fence ? context.vk.WaitForFences(context.device, 1, fence.get(), VK_TRUE, limit)
               : VK_SUCCESS;
}

sxt_status Timeline::wait(uint64_t number) {
  if (done.load(std::memory_order_acquire) >= number)
    return SXT_OK;
  Patience patience;
  // A thread that sleeps takes some 10 us to wake. A device that shares memory with it may share
  // its processors and their power, too.
  for (bool isDone = false; !context.abilities.unified && patience.isFresh();) {
    SXT_TRY(poll(number, isDone));
    if (isDone)
      return SXT_OK;
  }
  for (VkResult result = VK_TIMEOUT; result == VK_TIMEOUT;) {
    SXT_TRY(context.present());
    result = waitFor(number, patience.slice());
    if (result == VK_TIMEOUT)
      SXT_TRY(context.stillThere(queue, patience));
    else
      SXT_TRY(check(result, semaphore ? "vkWaitSemaphores" : "vkWaitForFences"));
  }
  reach(number);
  return SXT_OK;
}

bool Timeline::readsInto(const void *memory, size_t bytes) {
  std::lock_guard lock(mutex);
  for (const ReadBack &read : readBacks)
    if (read.into(memory, bytes))
      return true;
  return false;
}

void Timeline::forget(const void *memory, size_t bytes) {
  std::lock_guard lock(mutex);
  std::erase_if(readBacks, [&](const ReadBack &read) { return read.into(memory, bytes); });
}

} // namespace sextant::loader::vulkan
