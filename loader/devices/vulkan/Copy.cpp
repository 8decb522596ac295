// Copies of a stream, by way of staging memory where the host takes part; fills.
#include "loader/devices/vulkan/Stream.h"

#include <algorithm>
#include <cstring>

namespace sextant::loader::vulkan {

namespace {

/// Copies between host and device go in chunks. At most that many are under way at once.
constexpr uint64_t chunkBytes = uint64_t(1) << 24;
constexpr uint64_t chunksAtOnce = 3;

} // namespace

/// Calls `copy` with staging memory for each chunk, where the chunk begins, and its size. Between
/// two, submits one and waits for an earlier one.
template <class Copy> sxt_status VulkanStream::inChunks(uint64_t bytes, Copy copy) {
  uint64_t at = 0;
  for (unsigned chunk = 1; at < bytes; ++chunk) {
    const uint64_t size = std::min(bytes - at, chunkBytes);
    Part part;
    SXT_TRY(carve(size, part));
    copy(part, at, size);
    at += size;
    if (at == bytes)
      break;
    SXT_TRY(send());
    if (chunk >= chunksAtOnce) {
      Waiting waiting(context, this);
      SXT_TRY(timeline->wait(timeline->submitted() - chunksAtOnce + 1));
    }
    SXT_TRY(open());
  }
  return SXT_OK;
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
    return inChunks(bytes, [&](const Part &part, uint64_t at, uint64_t size) {
      std::memcpy(part.host(), from + at, size);
      barrier();
      VkBufferCopy region{part.offset, place.offset + at, size};
      vk.CmdCopyBuffer(current->commands, part.staging->buffer, place.buffer, 1, &region);
    });
  });
}

sxt_status VulkanStream::read(void *destination, uint64_t source, size_t bytes) {
  Place place;
  SXT_TRY(context.find(source, bytes, place));
  auto *to = static_cast<std::byte *>(destination);
  return append([&] {
    return inChunks(bytes, [&](const Part &part, uint64_t at, uint64_t size) {
      barrier();
      VkBufferCopy region{place.offset + at, part.offset, size};
      vk.CmdCopyBuffer(current->commands, place.buffer, part.staging->buffer, 1, &region);
      current->readBacks.push_back({0, part.staging, part.offset, to + at, size});
    });
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

} // namespace sextant::loader::vulkan
