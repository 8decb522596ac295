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
  most = how.most;
  isMeasured = how.isMeasured;
  if (++use == 0) { // words of four billion uses ago would pass for new ones
    for (uint32_t slice = 0; slice < mostSlices; ++slice)
      words[slice].taken.store(0, std::memory_order_relaxed);
    use = 1;
  }
  woken.store(how.woken, std::memory_order_relaxed);
  visited.store(0, std::memory_order_relaxed);
  gate.store(isOpen | how.hands * seat, std::memory_order_release);
}

void Job::expect() const {
  expectWrite(&gate);
  __builtin_prefetch(&task);
  __builtin_prefetch(block);
  __builtin_prefetch(block + 64);
}

bool Job::join() {
  uint64_t state = gate.load(std::memory_order_relaxed);
  while ((state & isOpen) != 0 && usersIn(state) < seatsIn(state))
    if (gate.compare_exchange_weak(state, state + 1, std::memory_order_acquire,
                                   std::memory_order_relaxed))
      return true;
  return false;
}

bool Job::leave() {
  expectWrite(&gate);
  uint64_t state = gate.load(std::memory_order_relaxed), left = 0;
  do {
    left = (state & ~isOpen) - 1;
  } while (!gate.compare_exchange_weak(state, left, std::memory_order_acq_rel,
                                       std::memory_order_relaxed));
  return usersIn(left) == 0;
}

bool Job::take(uint32_t slice, uint64_t atMost, bool &isOwn, Chunk &part) {
  const uint64_t first = bound(slice), end = bound(slice + 1);
  std::atomic<uint64_t> &taken = words[slice].taken;
  uint64_t word = taken.load(std::memory_order_relaxed), next = 0;
  do {
    const bool hasBegun = word >> 32 == use;
    const uint64_t begin = hasBegun ? first + static_cast<uint32_t>(word) : first;
    const uint64_t rest = end - std::min(begin, end), least = chunk;
    if (rest == 0 || (hasBegun && !isOwn && rest < 2 * least))
      return false;
    // The rest is left in parts, so that all threads end together.
    const uint64_t size = rest < 2 * least ? rest : std::min(atMost, std::max(rest / 2, least));
    part = {static_cast<uint32_t>(begin), static_cast<uint32_t>(begin + size)};
    next = uint64_t(use) << 32 | (begin + size - first);
  } while (!taken.compare_exchange_weak(word, next, std::memory_order_relaxed));
  isOwn |= part.begin == first;
  return true;
}

} // namespace sextant::loader
