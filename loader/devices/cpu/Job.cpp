// Entering and leaving an open command, and taking its blocks: a few atomic words.
#include "loader/devices/cpu/Job.h"
#include "loader/devices/cpu/Spin.h"

#include <algorithm>
#include <cstring>

namespace sextant::loader {

void Job::open(Queue &of, const Command &what, const Partition &how) {
  const bool isLaunch = what.kind == Command::Launch;
  queue = &of;
  command = &what;
  task = isLaunch ? what.task : nullptr;
  grid = isLaunch ? what.grid : 1;
  arguments = what.arguments;
  if (isLaunch && what.argumentBytes <= sizeof block) {
    std::memcpy(block, what.arguments, what.argumentBytes);
    arguments = block;
  }
  slices = how.slices;
  chunk = how.chunk;
  fine = how.fine;
  most = how.most;
  isBrief = how.isBrief;
  isMeasured = how.isMeasured;
  if (++use == 0) { // words of four billion uses ago would pass for new ones
    for (uint32_t slice = 0; slice < mostSlices; ++slice)
      words[slice].taken.store(0, std::memory_order_relaxed);
    use = 1;
  }
  isShared.store(false, std::memory_order_relaxed);
  woken.store(how.woken, std::memory_order_relaxed);
  visited.store(0, std::memory_order_relaxed);
  const uint64_t tag = uint64_t(use) << 16 | index;
  seats.store(how.hands, std::memory_order_relaxed);
  unclosed.store(tag, std::memory_order_relaxed);
  opened.store(tag, std::memory_order_release);
}

void Job::expect(uint32_t place) const {
  expectWrite(&places[place]);
  expectWrite(&words[place % mostSlices]);
  __builtin_prefetch(&opened);
  __builtin_prefetch(&task);
  __builtin_prefetch(block);
  __builtin_prefetch(block + 64);
}

bool Job::join(uint32_t place, bool isCalled) {
  const uint64_t tag = opened.load(std::memory_order_relaxed);
  if (tag == 0 || (!isCalled && othersIn(tag, place) >= hands()))
    return false;
  places[place].inside.store(tag);
  return true;
}

bool Job::leave(uint32_t place) {
  uint64_t tag = places[place].inside.load(std::memory_order_relaxed), open = tag;
  places[place].inside.store(0);
  if (places.back().inside.load() == tag) // it stays until all others have left
    return false;
  opened.compare_exchange_strong(open, 0);
  // One of those who leave sees nobody, or more than one.
  return othersIn(tag, place) == 0 && unclosed.compare_exchange_strong(tag, 0);
}

uint32_t Job::othersIn(uint64_t tag, uint32_t place) const {
  uint32_t others = 0;
  for (uint32_t i = 0; i < places.size(); ++i)
    others += i != place && places[i].inside.load() == tag ? 1 : 0;
  return others;
}

bool Job::take(uint32_t slice, uint64_t atMost, bool &isOwn, Chunk &part) {
  const uint64_t first = bound(slice), end = bound(slice + 1);
  std::atomic<uint64_t> &taken = words[slice].taken;
  uint64_t word = taken.load(std::memory_order_relaxed), next = 0;
  bool isMine = true;
  do {
    const bool hasBegun = word >> 32 == use;
    isMine = isOwn || !hasBegun;
    const uint64_t begin = hasBegun ? first + static_cast<uint32_t>(word) : first;
    const uint64_t rest = end - std::min(begin, end);
    const bool isCoarse = isMine && !isShared.load(std::memory_order_relaxed);
    const uint64_t least = isCoarse ? chunk : fine;
    if (rest == 0 || (!isMine && rest < 2 * least))
      return false;
    // The rest is left in parts, so that all threads end together.
    const uint64_t share = std::max(rest / (isCoarse ? 2 : slices), least);
    const uint64_t size = rest < 2 * least ? rest : std::min(atMost, share);
    part = {static_cast<uint32_t>(begin), static_cast<uint32_t>(begin + size)};
    next = uint64_t(use) << 32 | (begin + size - first);
  } while (!taken.compare_exchange_weak(word, next, std::memory_order_relaxed));
  if (!isMine && !isShared.load(std::memory_order_relaxed))
    isShared.store(true, std::memory_order_relaxed);
  isOwn |= part.begin == first;
  return true;
}

bool SliceWalk::next(Chunk &chunk) {
  while (!job.take(slice(), most, isOwn, chunk)) {
    // Looking at all slices takes longer than most slices of a brief job.
    if (++step == job.slices || (last != 0 && job.isBrief && job.isAwaited(place)))
      return false;
    isOwn = false;
    most = job.fine; // others' blocks may be the costly ones
  }
  last = chunk.end - chunk.begin;
  return true;
}

void SliceWalk::took(double nanoseconds) {
  if (nanoseconds < longChunk / 2)
    most = 2 * last;
  else if (nanoseconds > 2 * longChunk)
    most = std::max<uint64_t>(last / 2, 1);
}

} // namespace sextant::loader
