// Batches of a stream's commands: when they are submitted, their order, and when they are used
// again.
#include "loader/devices/vulkan/Stream.h"

#include <algorithm>

namespace sextant::loader::vulkan {
namespace {

/// With that many submissions under way, a stream gathers commands.
constexpr uint64_t busy = 3;
/// With that many submissions under way, a launch waits for the first of them.
constexpr size_t mostRunning = 64;

constexpr const char *lost = "an earlier launch or copy was lost";
constexpr VkPipelineStageFlags work =
    VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
constexpr VkAccessFlags writes = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
constexpr VkAccessFlags reads = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT;

} // namespace

VulkanStream::VulkanStream(Context &context)
    : context(context), vk(context.vk), queue(context.nextQueue()),
      timeline(std::make_shared<Timeline>(context, queue)) {
  context.join(*this);
}

sxt_status VulkanStream::start() { return timeline->start(); }

VulkanStream::~VulkanStream() {
  (void)guarded([&] { return synchronize(); });
  (void)guarded([&] { return timeline->wait(timeline->submitted()); }); // also after a failure
  context.leave(*this);
}

//===--- Batches -----------------------------------------------------------===//

sxt_status VulkanStream::makeBatch(VkCommandBufferLevel level, std::unique_ptr<Batch> &made) {
  auto batch = std::make_unique<Batch>(context);
  auto poolInfo = typed<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
  poolInfo.flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT;
  poolInfo.queueFamilyIndex = context.abilities.family;
  SXT_TRY(check(vk.CreateCommandPool(context.device, &poolInfo, nullptr, &batch->pool),
                "vkCreateCommandPool"));
  auto info = typed<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
  info.commandPool = batch->pool;
  info.level = level;
  info.commandBufferCount = 1;
  SXT_TRY(check(vk.AllocateCommandBuffers(context.device, &info, &batch->commands),
                "vkAllocateCommandBuffers"));
  made = std::move(batch);
  return SXT_OK;
}

Batch::~Batch() {
  if (context.isGone())
    return;
  for (const DescriptorPool &one : descriptors)
    context.vk.DestroyDescriptorPool(context.device, one.handle, nullptr);
  context.vk.DestroyCommandPool(context.device, pool, nullptr);
}

/// Resets a batch for the next use.
sxt_status VulkanStream::recycle(Batch &batch) {
  batch.count = 0;
  // One block of the usual size stays, for launches with many values.
  batch.staging.resize(!batch.staging.empty() && batch.staging.front()->bytes <= leastStaging);
  batch.stagingUsed = 0;
  batch.readBacks.clear();
  batch.stamps.clear();
  batch.waits.clear();
  batch.graphs.clear();
  for (Batch::DescriptorPool &pool : batch.descriptors) {
    SXT_TRY(check(vk.ResetDescriptorPool(context.device, pool.handle, 0), "vkResetDescriptorPool"));
    pool.setsLeft = pool.sets;
    pool.buffersLeft = pool.buffers;
  }
  return check(vk.ResetCommandPool(context.device, batch.pool, 0), "vkResetCommandPool");
}

/// Takes back the batches that are done. Waits for one if too many are not.
sxt_status VulkanStream::collect() {
  while (!running.empty()) {
    bool done = false;
    SXT_TRY(timeline->poll(running.front()->number, done));
    if (!done && (isOthers || running.size() < mostRunning))
      break;
    if (!done) {
      Waiting waiting(context, this);
      SXT_TRY(timeline->wait(running.front()->number));
    }
    std::unique_ptr<Batch> batch = std::move(running.front());
    running.erase(running.begin());
    SXT_TRY(recycle(*batch));
    idle.push_back(std::move(batch));
  }
  return SXT_OK;
}

/// Makes `current` a batch that records.
sxt_status VulkanStream::open() {
  if (current)
    return SXT_OK;
  SXT_TRY(collect());
  std::unique_ptr<Batch> batch;
  if (idle.empty()) {
    SXT_TRY(makeBatch(VK_COMMAND_BUFFER_LEVEL_PRIMARY, batch));
  } else {
    batch = std::move(idle.back());
    idle.pop_back();
  }
  auto info = typed<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
  info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  SXT_TRY(check(vk.BeginCommandBuffer(batch->commands, &info), "vkBeginCommandBuffer"));
  current = std::move(batch);
  return SXT_OK;
}

/// Later commands in the batch see the results of all earlier ones, in the batch or on its queue.
void VulkanStream::barrier() {
  bool first = current->count++ == 0;
  auto memory = typed<VkMemoryBarrier>(VK_STRUCTURE_TYPE_MEMORY_BARRIER);
  memory.srcAccessMask = first ? VkAccessFlags{VK_ACCESS_MEMORY_WRITE_BIT} : writes;
  memory.dstAccessMask = reads | writes;
  vk.CmdPipelineBarrier(current->commands,
                        first ? VkPipelineStageFlags{VK_PIPELINE_STAGE_ALL_COMMANDS_BIT} : work,
                        work, 0, 1, &memory, 0, nullptr, 0, nullptr);
}

/// Submits the gathered commands, or the waits that were asked for.
sxt_status VulkanStream::send() {
  if (records || (!current && waits.empty()))
    return SXT_OK;
  SXT_TRY(context.present());
  SXT_TRY(open());
  Batch &batch = *current;
  if (!batch.readBacks.empty() || context.abilities.unified || context.adopted) {
    auto memory = typed<VkMemoryBarrier>(VK_STRUCTURE_TYPE_MEMORY_BARRIER);
    memory.srcAccessMask = writes;
    memory.dstAccessMask = context.adopted ? VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT
                                           : VK_ACCESS_HOST_READ_BIT;
    VkPipelineStageFlags until = VK_PIPELINE_STAGE_HOST_BIT;
    if (context.adopted) // the application's work on the queue
      until |= VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    vk.CmdPipelineBarrier(batch.commands, work, until, 0, 1, &memory, 0, nullptr, 0, nullptr);
  }
  sxt_status status = guarded([&] {
    makeRoom(running);
    SXT_TRY(check(vk.EndCommandBuffer(batch.commands), "vkEndCommandBuffer"));
    return timeline->submit(batch.commands, waits, batch.readBacks);
  });
  if (status != SXT_OK) { // its work is lost
    current.reset();
    waits.clear();
    return status;
  }
  batch.number = timeline->submitted();
  batch.waits = std::move(waits);
  waits.clear();
  running.push_back(std::move(current));
  return SXT_OK;
}

bool VulkanStream::shouldSend() {
  if (context.adopted || current->count >= Batch::mostCommands)
    return true;
  uint64_t submitted = timeline->submitted();
  bool idleEnough = submitted < busy;
  if (!idleEnough && timeline->poll(submitted - busy + 1, idleEnough) != SXT_OK)
    return true;
  return idleEnough;
}

sxt_status VulkanStream::append(sxt_status (*body)(void *), void *argument) {
  SXT_TRY(context.present());
  sxt_status status = SXT_OK;
  {
    std::lock_guard lock(mutex);
    SXT_TRY(failure.tell(lost));
    status = guarded([&] {
      SXT_TRY(open());
      SXT_TRY(body(argument));
      return current && current->count && shouldSend() ? send() : SXT_OK;
    });
  }
  if (context.waiting.load() > 0)
    flushIfFree();
  return status;
}

void VulkanStream::flushIfFree() {
  std::unique_lock lock(mutex, std::try_to_lock);
  if (!lock)
    return;
  bool gathered = (current && current->count) || !waits.empty();
  isOthers = true;
  sxt_status status = gathered ? guarded([&] { return send(); }) : SXT_OK;
  isOthers = false;
  if (status == SXT_OK)
    return;
  failure.keep(status, sxt_last_error_message());
}

/// Reserves a part of the batch's staging memory, at an offset where a storage buffer may begin.
sxt_status VulkanStream::carve(uint64_t bytes, Part &part) {
  constexpr uint64_t alignment = 256; // the most that Vulkan lets a device ask for
  uint64_t offset = (current->stagingUsed + alignment - 1) / alignment * alignment;
  if (current->staging.empty() || offset + bytes > current->staging.back()->bytes) {
    std::shared_ptr<Staging> block;
    SXT_TRY(context.stage(bytes, block));
    current->staging.push_back(std::move(block));
    offset = 0;
  }
  current->stagingUsed = offset + bytes;
  part = {current->staging.back(), offset};
  return SXT_OK;
}

//===--- Order -------------------------------------------------------------===//

sxt_status VulkanStream::record(DeviceEvent &event) {
  VulkanEvent::Recording recording{timeline, 0, nullptr};
  sxt_status status = append([&] {
    if (context.abilities.timestampBits) {
      SXT_TRY(context.stamp(recording.stamp));
      current->stamps.push_back(recording.stamp);
      const Stamp &stamp = *recording.stamp;
      vk.CmdResetQueryPool(current->commands, stamp.pool, stamp.index, 1);
      vk.CmdWriteTimestamp(current->commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, stamp.pool,
                           stamp.index);
    }
    // Later work must not delay the event.
    SXT_TRY(send());
    recording.number = timeline->submitted();
    return SXT_OK;
  });
  if (status == SXT_OK)
    static_cast<VulkanEvent &>(event).move(std::move(recording));
  return status;
}

sxt_status VulkanStream::wait(DeviceEvent &event) {
  VulkanEvent::Recording recording = static_cast<VulkanEvent &>(event).recorded();
  return waitFor({std::move(recording.timeline), recording.number});
}

sxt_status VulkanStream::waitFor(Point point) {
  if (!point.timeline || point.timeline == timeline)
    return SXT_OK;
  std::lock_guard lock(mutex);
  if (current && current->count)
    SXT_TRY(send());
  waits.emplace_back(std::move(point.timeline), point.number);
  return SXT_OK;
}

sxt_status VulkanStream::synchronize() {
  Waiting waiting(context);
  {
    // flushAll() skips a stream that another thread is using.
    std::lock_guard lock(mutex);
    sxt_status status = (current && current->count) || !waits.empty() ? send() : SXT_OK;
    SXT_TRY(status);
    SXT_TRY(failure.tell(lost));
  }
  return timeline->wait(timeline->submitted());
}

void VulkanStream::forget(const void *memory, size_t bytes) {
  std::lock_guard lock(mutex);
  if (current)
    std::erase_if(current->readBacks,
                  [&](const ReadBack &read) { return read.into(memory, bytes); });
  timeline->forget(memory, bytes);
}

//===--- Graphs ------------------------------------------------------------===//

sxt_status VulkanStream::recordGraph(Context &context, std::span<const GraphStep> steps,
                                     std::shared_ptr<Batch> &recorded) {
  VulkanStream recorder(context); // it never submits anything
  {
    std::lock_guard lock(recorder.mutex);
    recorder.records = true;
    std::unique_ptr<Batch> batch;
    SXT_TRY(recorder.makeBatch(VK_COMMAND_BUFFER_LEVEL_SECONDARY, batch));
    recorder.current = std::move(batch); // destroyed with it, unless all goes well
    auto inheritance =
        typed<VkCommandBufferInheritanceInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO);
    auto info = typed<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
    info.flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
    info.pInheritanceInfo = &inheritance;
    SXT_TRY(check(context.vk.BeginCommandBuffer(recorder.current->commands, &info),
                  "vkBeginCommandBuffer"));
  }
  for (const GraphStep &step : steps)
    SXT_TRY(step.queue(recorder));
  SXT_TRY(check(context.vk.EndCommandBuffer(recorder.current->commands), "vkEndCommandBuffer"));
  recorded = std::move(recorder.current);
  return SXT_OK;
}

sxt_status VulkanStream::runGraph(const std::shared_ptr<Batch> &recorded, Point &last) {
  SXT_TRY(waitFor(last));
  return append([&] {
    current->graphs.push_back(recorded);
    barrier();
    vk.CmdExecuteCommands(current->commands, 1, &recorded->commands);
    SXT_TRY(send()); // so that its end has a number
    last = {timeline, timeline->submitted()};
    return SXT_OK;
  });
}

//===--- All streams of a device -------------------------------------------===//

void Context::join(VulkanStream &stream) {
  std::lock_guard lock(streamsMutex);
  auto place = std::find(streams.begin(), streams.end(), nullptr);
  if (place == streams.end())
    streams.push_back(&stream);
  else
    *place = &stream;
}

void Context::leave(VulkanStream &stream) {
  std::lock_guard lock(streamsMutex);
  *std::find(streams.begin(), streams.end(), &stream) = nullptr;
}

void Context::flushAll(const VulkanStream *but) {
  std::lock_guard lock(streamsMutex);
  for (VulkanStream *stream : streams)
    if (stream && stream != but)
      stream->flushIfFree();
}

sxt_status Context::synchronize() {
  Waiting waiting(*this);
  // Takes the timelines one at a time, without a list of them: releasing memory waits here too, and
  // must work when memory has run out.
  for (size_t next = 0;; ++next) {
    std::shared_ptr<Timeline> timeline;
    {
      std::lock_guard lock(streamsMutex);
      if (next == streams.size())
        return SXT_OK;
      if (streams[next])
        timeline = streams[next]->timeline;
    }
    if (timeline)
      SXT_TRY(timeline->wait(timeline->submitted()));
  }
}

} // namespace sextant::loader::vulkan
