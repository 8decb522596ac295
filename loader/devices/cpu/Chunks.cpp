// Which threads run which blocks of a launch: how many threads share it, by what its blocks took
// before, and in chunks of which size they take its blocks.
#include "loader/devices/cpu/Pool.h"

#include <algorithm>

namespace sextant::loader {

using Clock = std::chrono::steady_clock;

namespace {
constexpr double worthAHand = 4e3;  ///< ns of work for which a spinning worker is worth its entry
constexpr double worthAWake = 30e3; ///< and a sleeping one its wake-up
constexpr double worthAChunk = 4e3; ///< ns for which handing out a chunk does not show
constexpr double longChunk = 200e3; ///< ns from which on chunks no longer grow
/// A chunk has so many at least, if the grid has: fewer do not pay for what a call prepares. What a
/// block takes says little there, since tasks update memory together where they get small chunks.
constexpr unsigned threadsOfChunk = 8192;

uint32_t handsFor(double nanoseconds, double each, uint32_t all) {
  return static_cast<uint32_t>(std::clamp(nanoseconds / each, 1.0, static_cast<double>(all)));
}
} // namespace

void Pool::plan(Command &command, CpuTask task, uint32_t grid, unsigned threads, bool waits) const {
  command.grid = grid;
  command.task = task;
  command.next.store(0, std::memory_order_relaxed);
  command.isGrowing = !waits;
  const uint32_t all = threadCount();
  command.hands = all;
  command.woken = all;
  const Cost &cost = costs[costOf(task)];
  const double known =
      cost.task.load(std::memory_order_relaxed) == task ? cost.nanoseconds.load() : 0;
  // Blocks that wait for those before them go out one by one: in chunks, all but one worker would
  // wait for the end of the chunk before theirs.
  if (waits) {
    command.chunk = 1;
    return;
  }
  // At least 8 chunks for each thread balance the load.
  const uint32_t least = std::clamp(threadsOfChunk / threads, 1u, std::max(grid / (all * 8), 1u));
  if (known <= 0) {
    command.chunk = least;
    command.woken = std::min(all, (grid + command.chunk - 1) / command.chunk);
    command.hands = command.woken;
    return;
  }
  const double total = known * grid;
  const uint32_t hands = std::min(handsFor(total, worthAHand, all), grid);
  command.hands = hands;
  command.woken = handsFor(total, worthAWake, all);
  // Fewer threads than there are have few chunks: the launch is short. But it has some, because it
  // may turn out to be long.
  const double blocks = std::min(worthAChunk / known, static_cast<double>(grid));
  const uint32_t parts = hands * (hands < all ? 2 : 8);
  command.chunk = std::clamp(static_cast<uint32_t>(blocks), least, std::max(grid / parts, least));
}

/// The launch takes longer than it was thought to: more threads are welcome.
void Pool::recruit(Queue &queue, Command &command, double nanoseconds) {
  std::unique_lock lock = acquire();
  const uint32_t all = threadCount(), wanted = handsFor(nanoseconds, worthAHand, all);
  const uint32_t hands = command.hands.load(std::memory_order_relaxed);
  if (wanted <= hands)
    return;
  command.seats += wanted - hands;
  command.hands.store(wanted, std::memory_order_relaxed);
  command.woken = std::max(command.woken, handsFor(nanoseconds, worthAWake, all));
  if (!queue.ready) {
    queue.ready = true;
    ready.push_back(&queue);
  }
  count();
  unsigned more = std::min(2u, wakes(command));
  lock.unlock();
  for (; more; --more)
    workPosted.notify_one();
}

/// A block takes about as long as before. What was faster counts more: the system may have taken
/// the processor away.
void Pool::learn(CpuTask task, double nanoseconds) {
  Cost &cost = costs[costOf(task)];
  const auto now = static_cast<float>(std::max(nanoseconds, 1.0));
  float known = cost.nanoseconds.load(std::memory_order_relaxed);
  if (cost.task.load(std::memory_order_relaxed) != task) {
    cost.nanoseconds.store(now, std::memory_order_relaxed);
    cost.task.store(task, std::memory_order_relaxed);
    return;
  }
  known += (now - known) * (now < known ? 0.5F : 0.125F);
  cost.nanoseconds.store(known, std::memory_order_relaxed);
}

void Pool::runChunks(Queue &queue, Command &command, void *scratch) {
  const uint64_t grid = command.grid;
  uint64_t size = command.chunk;
  Clock::time_point start;
  for (bool isFirst = true;; isFirst = false) {
    uint64_t begin = command.next.load(std::memory_order_relaxed), end = 0;
    do {
      if (begin >= grid)
        return;
      // The rest is left in parts, so that all threads end together.
      const uint32_t hands = command.hands.load(std::memory_order_relaxed);
      const uint64_t part = std::max<uint64_t>((grid - begin) / (4 * hands), command.chunk);
      end = std::min(begin + std::min(size, part), grid);
    } while (!command.next.compare_exchange_weak(begin, end, std::memory_order_relaxed));
    if (isFirst)
      start = Clock::now();
    command.task(command.arguments, scratch, static_cast<uint32_t>(begin),
                 static_cast<uint32_t>(end), command.grid);
    if (!command.isGrowing)
      continue;
    const Clock::time_point now = Clock::now();
    const double spent = std::chrono::duration<double, std::nano>(now - start).count();
    const double each = spent / static_cast<double>(end - begin);
    learn(command.task, each);
    const double rest = each * static_cast<double>(grid - end);
    const uint32_t hands = command.hands.load(std::memory_order_relaxed);
    if (hands < threadCount() && rest > 2 * worthAWake * hands)
      recruit(queue, command, rest);
    if (spent < longChunk / 2)
      size = 2 * (end - begin);
    else if (spent > 2 * longChunk)
      size = std::max<uint64_t>((end - begin) / 2, 1);
    start = now;
  }
}

} // namespace sextant::loader
