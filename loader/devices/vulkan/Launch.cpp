// Launches of a stream: where their arrays, values and offsets are bound.
#include "loader/ThreadMemory.h"
#include "loader/devices/vulkan/Image.h"
#include "loader/devices/vulkan/Stream.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>

namespace sextant::loader::vulkan {

sxt_status VulkanStream::descriptorSet(const Context::Layout &layout, uint32_t buffers,
                                       VkDescriptorSet &set) {
  auto fits = [&](const Batch::DescriptorPool &pool) {
    return pool.setsLeft && pool.buffersLeft >= buffers;
  };
  auto found = std::find_if(current->descriptors.begin(), current->descriptors.end(), fits);
  if (found == current->descriptors.end()) {
    makeRoom(current->descriptors);
    Batch::DescriptorPool pool;
    pool.sets = Batch::mostCommands;
    pool.buffers = std::max(Batch::mostCommands * 8, buffers);
    VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, pool.buffers};
    auto info = typed<VkDescriptorPoolCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO);
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
  auto info = typed<VkDescriptorSetAllocateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO);
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

/// Fails because an array's place is not a multiple of `alignment`.
static sxt_status misplaced(const VulkanTask &task, size_t array, const VkDescriptorBufferInfo &at,
                            uint64_t alignment) {
  return fail(SXT_ERROR_UNSUPPORTED,
              "task '%s', array %zu: it begins %" PRIu64
              " bytes into its buffer; its code takes multiples "
              "of %" PRIu64,
              task.symbol.c_str(), array, at.offset, alignment);
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
  // Given its address, code reaches whole words of an array of 8- or 16-bit elements.
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
      return fail(
          SXT_ERROR_UNSUPPORTED,
          "task '%s', array %zu: its buffer goes on for %" PRIu64 " bytes; kernels on %s reach %u "
          "(maxStorageBufferRange)",
          task.symbol.c_str(), i, place.rest, context.name().c_str(), limits.maxStorageBufferRange);
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
      auto write = typed<VkWriteDescriptorSet>(VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET);
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
    auto which = typed<VkBufferDeviceAddressInfo>(VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO);
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

} // namespace sextant::loader::vulkan
