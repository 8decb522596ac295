// Records and submits the work of streams.
#include "loader/devices/vulkan/Stream.h"
#include "loader/ThreadMemory.h"
#include "loader/devices/vulkan/Image.h"

#include <algorithm>
#include <cstring>

namespace sextant::loader::vulkan {
namespace {

/// The most commands that a batch gathers while the device is busy with earlier ones.
constexpr unsigned mostCommands = 64;
/// With that many submissions under way, a stream gathers commands.
constexpr uint64_t busy = 3;
/// With that many submissions under way, a launch waits for the first of them.
constexpr size_t mostRunning = 64;
/// Copies between host and device go in chunks. At most that many are under way at once.
constexpr uint64_t chunkBytes = uint64_t(1) << 24;
constexpr uint64_t chunksAtOnce = 3;

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
  VkCommandPoolCreateInfo poolInfo{};
  poolInfo.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  poolInfo.flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT;
  poolInfo.queueFamilyIndex = context.abilities.family;
  SXT_TRY(check(vk.CreateCommandPool(context.device, &poolInfo, nullptr, &batch->pool),
                "vkCreateCommandPool"));
  VkCommandBufferAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
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
  for (const Pool &one : descriptors)
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
  for (Batch::Pool &pool : batch.descriptors) {
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
    if (!done && running.size() < mostRunning)
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
  VkCommandBufferBeginInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  SXT_TRY(check(vk.BeginCommandBuffer(batch->commands, &info), "vkBeginCommandBuffer"));
  current = std::move(batch);
  return SXT_OK;
}

/// Later commands in the batch see the results of all earlier ones, in the batch or on its queue.
void VulkanStream::barrier() {
  bool first = current->count++ == 0;
  VkMemoryBarrier memory{};
  memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
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
    VkMemoryBarrier memory{};
    memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
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
  if (context.adopted || current->count >= mostCommands)
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
    if (failure) {
      auto [earlier, text] = std::move(*failure);
      failure.reset();
      return fail(earlier, "an earlier launch or copy was lost: %s", text.c_str());
    }
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
  sxt_status status = gathered ? guarded([&] { return send(); }) : SXT_OK;
  if (status == SXT_OK)
    return;
  failure.emplace(status, std::string());
  (void)guarded([&] { // without a reason, if there is no memory for it
    failure->second = sxt_last_error_message();
    return SXT_OK;
  });
}

//===--- Launches ----------------------------------------------------------===//

sxt_status VulkanStream::descriptorSet(const Context::Layout &layout, uint32_t buffers,
                                       VkDescriptorSet &set) {
  auto fits = [&](const Batch::Pool &pool) { return pool.setsLeft && pool.buffersLeft >= buffers; };
  auto found = std::find_if(current->descriptors.begin(), current->descriptors.end(), fits);
  if (found == current->descriptors.end()) {
    makeRoom(current->descriptors);
    Batch::Pool pool;
    pool.sets = mostCommands;
    pool.buffers = std::max(mostCommands * 8, buffers);
    VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, pool.buffers};
    VkDescriptorPoolCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
    info.maxSets = pool.sets;
    info.poolSizeCount = 1;
    info.pPoolSizes = &size;
    SXT_TRY(check(vk.CreateDescriptorPool(context.device, &info, nullptr, &pool.handle),
                  "vkCreateDescriptorPool"));
    pool.setsLeft = pool.sets;
    pool.buffersLeft = pool.buffers;
    current->descriptors.push_back(pool);
    found = std::prev(current->descriptors.end());
  }
  VkDescriptorSetAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  info.descriptorPool = found->handle;
  info.descriptorSetCount = 1;
  info.pSetLayouts = &layout.set;
  SXT_TRY(
      check(vk.AllocateDescriptorSets(context.device, &info, &set), "vkAllocateDescriptorSets"));
  --found->setsLeft;
  found->buffersLeft -= buffers;
  return SXT_OK;
}

/// If there are more blocks than one row holds, dispatches whole rows first and the rest after
/// them.
void VulkanStream::dispatch(uint32_t grid) {
  const uint32_t row = context.abilities.properties.limits.maxComputeWorkGroupCount[0];
  if (grid <= row)
    return vk.CmdDispatch(current->commands, grid, 1, 1);
  vk.CmdDispatch(current->commands, row, grid / row, 1);
  if (grid % row)
    vk.CmdDispatchBase(current->commands, 0, grid / row, 0, grid % row, 1, 1);
}

/// Fails because an array's place is no multiple of `alignment`.
static sxt_status misplaced(const VulkanTask &task, size_t array, const VkDescriptorBufferInfo &at,
                            uint64_t alignment) {
  return fail(
      SXT_ERROR_UNSUPPORTED,
      "task '%s', array %zu: it begins %llu bytes into its buffer; its code takes multiples "
      "of %llu",
      task.symbol.c_str(), array, static_cast<unsigned long long>(at.offset),
      static_cast<unsigned long long>(alignment));
}

sxt_status VulkanStream::launch(const LoadedTask &loaded, uint32_t grid, const void *block,
                                size_t) {
  auto &task = *static_cast<VulkanTask *>(loaded.function);
  const abi::BindingLayout &bindings = task.bindings;
  const VkPhysicalDeviceLimits &limits = context.abilities.properties.limits;
  const size_t given = bindings.buffers.size();
  if (grid > limits.maxComputeWorkGroupCount[0] && !task.takesRows)
    return fail(SXT_ERROR_LAUNCH_REFUSED,
                "task '%s' would run %u blocks: its code, of an older sextant, runs %u on %s at "
                "most; compile it again",
                task.symbol.c_str(), grid, limits.maxComputeWorkGroupCount[0],
                context.name().c_str());
  const bool pushes = task.pushBytes != 0;
  constexpr size_t few = 32;
  VkDescriptorBufferInfo onStack[few], *infos = onStack;
  const size_t most = std::max<size_t>(given, 1) + 2; // for a table; for the values, for offsets
  if (most > few)
    infos = reinterpret_cast<VkDescriptorBufferInfo *>(
        threadMemory(Keep::Bindings, most * sizeof *infos));
  // By its address, code reaches whole words of an array of 8- or 16-bit elements.
  const uint64_t alignment = task.hasTable ? 4 : limits.minStorageBufferOffsetAlignment;
  bool isShifted = false;
  for (size_t i = 0; i < given; ++i) {
    const uint64_t address = bindings.address(block, i);
    Place place = context.nothing();
    if (address)
      SXT_TRY(context.find(address, 0, place));
    if (place.rest == 0) // an empty array at the end of its buffer
      place = context.nothing();
    infos[i] = {place.buffer, place.offset, place.rest};
    if (const uint64_t rest = place.offset % alignment; rest && !task.hasTable) {
      isShifted = true;
      place.rest += rest;
    } else if (rest) {
      return misplaced(task, i, infos[i], alignment);
    }
    if (place.rest > limits.maxStorageBufferRange && !task.hasTable)
      return fail(SXT_ERROR_UNSUPPORTED,
                  "task '%s', array %zu: its buffer goes on for %llu bytes; kernels on %s reach %u "
                  "(maxStorageBufferRange)",
                  task.symbol.c_str(), i, static_cast<unsigned long long>(place.rest),
                  context.name().c_str(), limits.maxStorageBufferRange);
  }
  if (isShifted) {
    SXT_TRY(task.makeShifted());
    for (size_t i = 0; i < given; ++i)
      if (const uint32_t stride = task.strides[i]; stride && infos[i].offset % alignment % stride)
        return misplaced(task, i, infos[i], stride);
  }
  const VulkanTask::Code &code = isShifted ? task.shifted : task.code;
  return append([&] {
    size_t count = given;
    if (task.hasTable)
      SXT_TRY(fillTable(infos, count));
    std::byte values[abi::BindingPlaces::mostPushBytes];
    if (pushes) {
      bindings.pack(block, values);
    } else if (bindings.valueBytes) {
      Part part;
      SXT_TRY(carve(bindings.valueBytes, part));
      bindings.pack(block, part.host());
      infos[count++] = {part.staging->buffer, part.offset, bindings.valueBytes};
    }
    if (isShifted)
      SXT_TRY(fillOffsets(infos, given, count));
    VkDescriptorSet set = nullptr;
    if (count) {
      SXT_TRY(descriptorSet(code.layout, static_cast<uint32_t>(count), set));
      VkWriteDescriptorSet write{};
      write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
      write.dstSet = set;
      write.descriptorCount = static_cast<uint32_t>(count); // runs on over the bindings
      write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
      write.pBufferInfo = infos;
      vk.UpdateDescriptorSets(context.device, 1, &write, 0, nullptr);
    }
    barrier();
    VkCommandBuffer commands = current->commands;
    vk.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, code.pipeline);
    if (count)
      vk.CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, code.layout.pipeline, 0, 1,
                               &set, 0, nullptr);
    if (pushes)
      vk.CmdPushConstants(commands, code.layout.pipeline, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                          task.pushBytes, values);
    dispatch(grid);
    return SXT_OK;
  });
}

/// Writes the addresses of what the first `count` infos describe into staging memory, which then is
/// the first and only one.
sxt_status VulkanStream::fillTable(VkDescriptorBufferInfo *infos, size_t &count) {
  Part part;
  const uint64_t bytes = std::max<size_t>(count, 1) * sizeof(uint64_t);
  SXT_TRY(carve(bytes, part));
  for (size_t i = 0; i < count; ++i) {
    VkBufferDeviceAddressInfo which{};
    which.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO;
    which.buffer = infos[i].buffer;
    const uint64_t address = vk.GetBufferDeviceAddress(context.device, &which) + infos[i].offset;
    std::memcpy(part.host() + i * sizeof address, &address, sizeof address);
  }
  infos[0] = {part.staging->buffer, part.offset, bytes};
  count = 1;
  return SXT_OK;
}

/// Binds the first `given` buffers where Vulkan can, and writes how far after it their arrays begin
/// into staging memory, which comes after all others.
sxt_status VulkanStream::fillOffsets(VkDescriptorBufferInfo *infos, size_t given, size_t &count) {
  Part part;
  const uint64_t bytes = given * sizeof(uint32_t);
  SXT_TRY(carve(bytes, part));
  for (size_t i = 0; i < given; ++i) {
    const auto rest = static_cast<uint32_t>(
        infos[i].offset % context.abilities.properties.limits.minStorageBufferOffsetAlignment);
    infos[i].offset -= rest;
    infos[i].range += rest;
    std::memcpy(part.host() + i * sizeof rest, &rest, sizeof rest);
  }
  infos[count++] = {part.staging->buffer, part.offset, bytes};
  return SXT_OK;
}

//===--- Copies ------------------------------------------------------------===//

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

/// Called between the chunks of a large copy: submits one, and waits for an earlier one.
sxt_status VulkanStream::throttle(unsigned chunk) {
  SXT_TRY(send());
  if (chunk >= chunksAtOnce) {
    Waiting waiting(context, this);
    SXT_TRY(timeline->wait(timeline->submitted() - chunksAtOnce + 1));
  }
  return open();
}

sxt_status VulkanStream::write(uint64_t destination, const void *source, size_t bytes) {
  Place place;
  SXT_TRY(context.find(destination, bytes, place));
  const auto *from = static_cast<const std::byte *>(source);
  bool expected = timeline->readsInto(source, bytes);
  if (!expected) {
    std::lock_guard lock(mutex);
    if (current)
      for (const ReadBack &read : current->readBacks)
        expected |= read.into(source, bytes);
  }
  if (expected) // an earlier read of this stream has not yet filled the source
    SXT_TRY(synchronize());
  return append([&] {
    uint64_t at = 0;
    for (unsigned chunk = 1; at < bytes; ++chunk) {
      uint64_t size = std::min<uint64_t>(bytes - at, chunkBytes);
      Part part;
      SXT_TRY(carve(size, part));
      std::memcpy(part.host(), from + at, size);
      barrier();
      VkBufferCopy region{part.offset, place.offset + at, size};
      vk.CmdCopyBuffer(current->commands, part.staging->buffer, place.buffer, 1, &region);
      at += size;
      if (at < bytes)
        SXT_TRY(throttle(chunk));
    }
    return SXT_OK;
  });
}

sxt_status VulkanStream::read(void *destination, uint64_t source, size_t bytes) {
  Place place;
  SXT_TRY(context.find(source, bytes, place));
  return append([&] {
    uint64_t at = 0;
    for (unsigned chunk = 1; at < bytes; ++chunk) {
      uint64_t size = std::min<uint64_t>(bytes - at, chunkBytes);
      Part part;
      SXT_TRY(carve(size, part));
      barrier();
      VkBufferCopy region{place.offset + at, part.offset, size};
      vk.CmdCopyBuffer(current->commands, place.buffer, part.staging->buffer, 1, &region);
      current->readBacks.push_back(
          {0, part.staging, part.offset, static_cast<std::byte *>(destination) + at, size});
      at += size;
      if (at < bytes)
        SXT_TRY(throttle(chunk));
    }
    return SXT_OK;
  });
}

sxt_status VulkanStream::copy(uint64_t destination, uint64_t source, uint64_t bytes) {
  Place to, from;
  SXT_TRY(context.find(destination, bytes, to));
  SXT_TRY(context.find(source, bytes, from));
  return append([&] {
    barrier();
    VkBufferCopy region{from.offset, to.offset, bytes};
    vk.CmdCopyBuffer(current->commands, from.buffer, to.buffer, 1, &region);
    return SXT_OK;
  });
}

sxt_status VulkanStream::fill(uint64_t destination, uint32_t pattern, unsigned patternBytes,
                              uint64_t bytes) {
  Place place;
  SXT_TRY(context.find(destination, bytes, place));
  uint32_t word = patternBytes == 1   ? (pattern & 0xff) * 0x01010101u
                  : patternBytes == 2 ? (pattern & 0xffff) * 0x00010001u
                                      : pattern;
  // Vulkan fills whole words. The bytes before and after them are copied.
  uint64_t begin = place.offset, end = begin + bytes;
  uint64_t firstWord = std::min((begin + 3) & ~uint64_t(3), end);
  uint64_t lastWord = std::max(end & ~uint64_t(3), firstWord);
  return append([&] {
    VkBufferCopy regions[2];
    uint32_t count = 0;
    Part part;
    if (begin < firstWord || lastWord < end) {
      SXT_TRY(carve(sizeof word, part));
      std::memcpy(part.host(), &word, sizeof word);
    }
    if (begin < firstWord)
      regions[count++] = {part.offset, begin, firstWord - begin};
    if (lastWord < end)
      regions[count++] = {part.offset, lastWord, end - lastWord};
    barrier();
    if (count)
      vk.CmdCopyBuffer(current->commands, part.staging->buffer, place.buffer, count, regions);
    if (firstWord < lastWord)
      vk.CmdFillBuffer(current->commands, place.buffer, firstWord, lastWord - firstWord, word);
    return SXT_OK;
  });
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
    if (status == SXT_OK && failure) {
      status =
          fail(failure->first, "an earlier launch or copy was lost: %s", failure->second.c_str());
      failure.reset();
    }
    SXT_TRY(status);
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
    VkCommandBufferInheritanceInfo inheritance{};
    inheritance.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO;
    VkCommandBufferBeginInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
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

//===--- Events ------------------------------------------------------------===//

sxt_status VulkanEvent::query() {
  Recording at = recorded();
  if (!at.timeline)
    return SXT_OK;
  context.flushAll();
  bool done = false;
  SXT_TRY(at.timeline->poll(at.number, done));
  return done ? SXT_OK : SXT_ERROR_NOT_READY;
}

sxt_status VulkanEvent::synchronize() {
  Recording at = recorded();
  if (!at.timeline)
    return SXT_OK;
  Waiting waiting(context);
  return at.timeline->wait(at.number);
}

sxt_status VulkanEvent::timeOf(const Recording &at, uint64_t &ticks) {
  if (!at.timeline)
    return fail(SXT_ERROR_INVALID_ARGUMENT, "elapsed time of an event that was not recorded");
  if (!at.stamp)
    return fail(SXT_ERROR_UNSUPPORTED, "the queues of %s have no clock", context.name().c_str());
  bool done = false;
  SXT_TRY(at.timeline->poll(at.number, done));
  if (!done)
    return fail(SXT_ERROR_NOT_READY, "elapsed time of an event that is not reached yet");
  return check(context.vk.GetQueryPoolResults(context.device, at.stamp->pool, at.stamp->index, 1,
                                              sizeof ticks, &ticks, sizeof ticks,
                                              VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
               "vkGetQueryPoolResults");
}

sxt_status VulkanEvent::elapsedSince(DeviceEvent &begin, double &milliseconds) {
  uint64_t first = 0, second = 0;
  SXT_TRY(timeOf(static_cast<VulkanEvent &>(begin).recorded(), first));
  SXT_TRY(timeOf(recorded(), second));
  const uint32_t bits = context.abilities.timestampBits;
  uint64_t ticks = (second - first) & (bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1);
  milliseconds = static_cast<double>(ticks) *
                 static_cast<double>(context.abilities.properties.limits.timestampPeriod) / 1e6;
  return SXT_OK;
}

} // namespace sextant::loader::vulkan
