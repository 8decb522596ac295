// Buffers with addresses, and the staging blocks that copies go through.
#include "loader/devices/vulkan/Context.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace sextant::loader::vulkan {

namespace {
/// Sizes of allocations are multiples of `unit`. Addresses are at least a page apart.
constexpr uint64_t unit = 256, page = uint64_t(1) << 16;
/// Allocations of up to `smallBytes` share a slab of `slabBytes`.
constexpr uint64_t smallBytes = uint64_t(1) << 15, slabBytes = uint64_t(1) << 20;
/// The loader keeps that many bytes of free staging blocks.
constexpr uint64_t keptStaging = uint64_t(1) << 26;
constexpr uint32_t noType = UINT32_MAX;

/// No two devices give out the same address, so that one which is mixed up is noticed.
std::atomic<uint64_t> nextAddress{uint64_t(1) << 44};

uint64_t roundUp(uint64_t value, uint64_t to) { return (value + to - 1) / to * to; }
unsigned long long number(uint64_t value) { return value; }
} // namespace

uint32_t Context::memoryType(uint32_t allowed, VkMemoryPropertyFlags needed,
                             VkMemoryPropertyFlags liked) const {
  uint32_t best = noType;
  for (uint32_t i = 0; i < abilities.memory.memoryTypeCount; ++i) {
    VkMemoryPropertyFlags flags = abilities.memory.memoryTypes[i].propertyFlags;
    if (!(allowed >> i & 1) || (flags & needed) != needed)
      continue;
    if ((flags & liked) == liked)
      return i;
    if (best == noType)
      best = i;
  }
  return best;
}

sxt_status Context::makeBuffer(uint64_t bytes, bool staging, VkBuffer &buffer,
                               VkDeviceMemory &memory, void **mapped) {
  auto info = typed<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
  info.size = bytes;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
               VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  auto addressed = typed<VkMemoryAllocateFlagsInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO);
  addressed.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  if (abilities.hasAddresses())
    info.usage |= VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  VkBuffer madeBuffer = nullptr;
  VkDeviceMemory madeMemory = nullptr;
  VkResult result = vk.CreateBuffer(device, &info, nullptr, &madeBuffer);
  const char *call = "vkCreateBuffer";
  if (result == VK_SUCCESS) {
    VkMemoryRequirements wants{};
    vk.GetBufferMemoryRequirements(device, madeBuffer, &wants);
    constexpr VkMemoryPropertyFlags reachable =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    auto allocate = typed<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO);
    if (abilities.hasAddresses())
      allocate.pNext = &addressed;
    allocate.allocationSize = wants.size;
    allocate.memoryTypeIndex =
        memoryType(wants.memoryTypeBits, mapped ? reachable : 0,
                   (mapped ? reachable | VK_MEMORY_PROPERTY_HOST_CACHED_BIT : 0) |
                       (staging ? 0 : VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT));
    call = "vkAllocateMemory";
    result = allocate.memoryTypeIndex == noType
                 ? VK_ERROR_OUT_OF_DEVICE_MEMORY
                 : vk.AllocateMemory(device, &allocate, nullptr, &madeMemory);
  }
  if (result == VK_SUCCESS) {
    call = "vkBindBufferMemory";
    result = vk.BindBufferMemory(device, madeBuffer, madeMemory, 0);
  }
  if (result == VK_SUCCESS && mapped) {
    call = "vkMapMemory";
    result = vk.MapMemory(device, madeMemory, 0, VK_WHOLE_SIZE, 0, mapped);
  }
  if (result != VK_SUCCESS) {
    freeBuffer(madeBuffer, madeMemory);
    return failed(result, call);
  }
  buffer = madeBuffer;
  memory = madeMemory;
  return SXT_OK;
}

void Context::freeBuffer(VkBuffer buffer, VkDeviceMemory memory) {
  if (isGone())
    return;
  vk.DestroyBuffer(device, buffer, nullptr);
  vk.FreeMemory(device, memory, nullptr); // this also unmaps it
}

//===--- Addresses ---------------------------------------------------------===//

sxt_status Context::allocate(uint64_t bytes, uint64_t &address) {
  // Sizes are whole words, for fills and for 16-bit elements that code reaches by words.
  Allocation made;
  SXT_TRY(present());
  if (bytes > abilities.description.memoryBytes)
    return fail(SXT_ERROR_OUT_OF_MEMORY, "%s has no memory for a buffer of %llu bytes: it has %llu",
                name().c_str(), number(bytes), number(abilities.description.memoryBytes));
  made.bytes = roundUp(bytes, unit);
  sxt_status status = SXT_OK;
  if (made.bytes <= smallBytes) {
    status = allocateSmall(made);
  } else {
    void *mapped = nullptr;
    status = makeBuffer(made.bytes, false, made.buffer, made.memory,
                        abilities.unified ? &mapped : nullptr);
    made.address = reinterpret_cast<uint64_t>(mapped);
  }
  if (status != SXT_OK)
    return fail(status, "%s has no memory for a buffer of %llu bytes: %s", name().c_str(),
                number(bytes), std::string(sxt_last_error_message()).c_str());
  address = enter(made);
  return SXT_OK;
}

/// Finds a slot of the next power of two, in a new slab if necessary.
sxt_status Context::allocateSmall(Allocation &made) {
  const uint64_t slotBytes = std::bit_ceil(made.bytes);
  std::lock_guard lock(memoryMutex);
  Slab *slab = nullptr;
  for (const std::unique_ptr<Slab> &known : slabs)
    if (known->slotBytes == slotBytes && !known->free.empty())
      slab = known.get();
  if (!slab) {
    auto fresh = std::make_unique<Slab>();
    makeRoom(slabs);
    fresh->slotBytes = slotBytes;
    for (auto slot = static_cast<uint32_t>(slabBytes / slotBytes); slot-- > 0;)
      fresh->free.push_back(slot);
    void *host = nullptr;
    SXT_TRY(makeBuffer(slabBytes, false, fresh->buffer, fresh->memory,
                       abilities.unified ? &host : nullptr));
    fresh->host = static_cast<std::byte *>(host);
    slab = fresh.get();
    slabs.push_back(std::move(fresh));
  }
  made.buffer = slab->buffer;
  made.slab = slab;
  made.offset = slab->free.back() * slotBytes;
  slab->free.pop_back();
  if (slab->host)
    made.address = reinterpret_cast<uint64_t>(slab->host + made.offset);
  return SXT_OK;
}

void Context::wrap(VkBuffer buffer, uint64_t bytes, uint64_t &address) {
  Allocation theirs;
  theirs.buffer = buffer;
  theirs.bytes = bytes;
  address = enter(theirs);
}

/// Records the allocation, and gives it an address if it has none.
uint64_t Context::enter(const Allocation &made) {
  try {
    std::lock_guard lock(memoryMutex);
    // With a gap to the next one, and not given twice.
    const uint64_t address =
        made.address ? made.address : nextAddress.fetch_add(roundUp(made.bytes, page) + page);
    allocations[address] = made;
    allocations[address].address = address;
    return address;
  } catch (...) {
    discard(made);
    throw;
  }
}

void Context::discard(const Allocation &gone) {
  if (gone.slab) {
    std::lock_guard lock(memoryMutex);
    gone.slab->free.push_back(static_cast<uint32_t>(gone.offset / gone.slab->slotBytes));
  }
  if (gone.memory)
    freeBuffer(gone.buffer, gone.memory);
}

void Context::release(uint64_t address) {
  (void)guarded([&] { return synchronize(); });
  Allocation gone;
  {
    std::lock_guard lock(memoryMutex);
    auto found = allocations.find(address);
    if (found == allocations.end())
      return;
    gone = found->second;
    allocations.erase(found);
  }
  discard(gone);
}

sxt_status Context::find(uint64_t address, uint64_t bytes, Place &place) {
  std::shared_lock lock(memoryMutex);
  auto after = allocations.upper_bound(address);
  if (after != allocations.begin()) {
    const Allocation &found = std::prev(after)->second;
    uint64_t offset = address - found.address;
    if (offset <= found.bytes && bytes <= found.bytes - offset) {
      place = {found.buffer, found.offset + offset, found.bytes - offset};
      return SXT_OK;
    }
  }
  return fail(SXT_ERROR_INVALID_ARGUMENT,
              "%llu bytes at address 0x%llx are not in any buffer of %s", number(bytes),
              number(address), name().c_str());
}

//===--- Staging -----------------------------------------------------------===//

Staging::~Staging() { context.freeBuffer(buffer, memory); }

sxt_status Context::stage(uint64_t bytes, std::shared_ptr<Staging> &staging) {
  std::unique_ptr<Staging> block;
  {
    std::lock_guard lock(mutex);
    auto best = freeStaging.end();
    for (auto at = freeStaging.begin(); at != freeStaging.end(); ++at)
      if ((*at)->bytes >= bytes && (best == freeStaging.end() || (*at)->bytes < (*best)->bytes))
        best = at;
    if (best != freeStaging.end()) {
      block = std::move(*best);
      freeStaging.erase(best);
      freeStagingBytes -= block->bytes;
    }
  }
  if (!block) {
    block = std::make_unique<Staging>(*this);
    block->bytes = std::max(leastStaging, roundUp(bytes, leastStaging));
    void *host = nullptr;
    SXT_TRY(makeBuffer(block->bytes, true, block->buffer, block->memory, &host));
    block->host = static_cast<std::byte *>(host);
  }
  staging = std::shared_ptr<Staging>(block.release(), [](Staging *back) {
    std::unique_ptr<Staging> owned(back);
    Context &home = back->context;
    std::lock_guard lock(home.mutex);
    if (home.freeStagingBytes + back->bytes > keptStaging)
      return;
    const uint64_t bytes = back->bytes;
    if (guarded([&] {
          home.freeStaging.push_back(std::move(owned));
          return SXT_OK;
        }) == SXT_OK)
      home.freeStagingBytes += bytes;
  });
  return SXT_OK;
}

} // namespace sextant::loader::vulkan
