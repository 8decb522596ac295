// How threads share a launch: how many, by what its blocks took before, and in chunks of which size
// they take its blocks.
#include "loader/devices/cpu/Pool.h"
#include "loader/devices/cpu/Spin.h"

#include <algorithm>

namespace sextant::loader {

namespace {
constexpr double handTime = 75;     ///< ns by which one more thread delays a launch's end
constexpr double worthHands = 3e3;  ///< ns of work from which on a second thread pays
constexpr double worthAWake = 30e3; ///< ns of work for which a sleeping worker is worth its wake-up
constexpr double worthAChunk = 4e3; ///< ns for which handing out a chunk does not show
/// The same for tasks that collect: a call writes its table back, some 20 us for 4096 places.
constexpr double worthATable = 50e3;
constexpr double briefWork = 16e3; ///< ns of a thread's part of a launch that is brief
/// Fewer threads of a chunk do not pay for what a call prepares. What a block takes says little
/// there, since tasks update memory together where they get small chunks.
constexpr unsigned threadsOfChunk = 8192;

uint32_t within(double value, uint32_t most) {
  return static_cast<uint32_t>(std::clamp(value, 1.0, static_cast<double>(most)));
}

/// A launch takes handTime * hands + work / hands, which is least for sqrt(work / handTime) hands.
/// They go in steps: 1, 2, 3, 4, 6, 8, 12, 16…, since with each other number all threads get other
/// parts of the grid than they have in their caches.
uint32_t handsFor(double work, uint32_t all) {
  if (work < worthHands)
    return 1;
  for (uint32_t hands = 1; hands < all;) {
    const bool isPower = (hands & (hands - 1)) == 0;
    const uint32_t next = std::min(isPower ? hands + (hands + 1) / 2 : hands / 3 * 4, all);
    if (work / handTime < static_cast<double>(hands) * next) // nearer to the lower one
      return hands;
    hands = next;
  }
  return all;
}
} // namespace

Partition Pool::partition(CpuTask code, uint32_t grid, const LoadedTask &task) const {
  Partition partition;
  const uint32_t all = std::min(threadCount(), grid);
  partition.hands = partition.woken = all;
  // Blocks that wait for those before them go out one by one: in chunks, all but one worker would
  // wait for the end of the chunk before theirs.
  if (task.waits)
    return partition;
  partition.isMeasured = true;
  const Cost &cost = costs[costOf(code)];
  const double known =
      cost.task.load(std::memory_order_relaxed) == code ? cost.nanoseconds.load() : 0;
  if (known <= 0) {
    // 8 chunks for each thread balance the load.
    partition.chunk = partition.fine = partition.most =
        std::clamp(threadsOfChunk / task.blockDim, 1u, std::max(grid / (threadCount() * 8), 1u));
    partition.hands = partition.woken =
        std::min(all, (grid + partition.chunk - 1) / partition.chunk);
    partition.slices = std::min(partition.hands, Job::mostSlices);
    return partition;
  }
  const double work = known * grid;
  partition.nanoseconds = static_cast<float>(work);
  partition.hands = handsFor(work, std::min(all, processors));
  partition.woken = within(work / worthAWake, partition.hands);
  partition.slices = std::min(partition.hands, Job::mostSlices);
  // Fewer threads than there are have two chunks each at least: the launch may turn out to be long.
  const uint32_t slice = grid / partition.slices;
  const uint32_t largest = std::max(partition.hands < threadCount() ? slice / 2 : slice, 1u);
  const double least = (task.collects ? worthATable : worthAChunk) / known;
  partition.chunk = within(std::max(least, slice / 8.0), largest);
  // The last parts of a launch are smaller, so that threads end together.
  partition.fine = within(task.collects ? least / 3 : least, partition.chunk);
  partition.most =
      std::max(within(std::min(longChunk / known, slice / 4.0), slice), partition.chunk);
  partition.isBrief = work < briefWork * partition.hands;
  return partition;
}

/// The launch takes longer than it was thought to: more threads are welcome. Those who spin come
/// by themselves.
void Pool::recruit(Job &job, double nanoseconds) {
  job.admit(std::max(job.hands(), handsFor(nanoseconds, threadCount())));
  job.woken.store(std::min(within(nanoseconds / worthAWake, threadCount()), job.hands()),
                  std::memory_order_relaxed);
  wakeWorkers(job);
}

/// A block takes about as long as before. What was faster counts more: the system may have taken
/// the processor away. Small differences are not worth a write to what all threads read.
void Pool::learn(CpuTask task, double nanoseconds) {
  Cost &cost = costs[costOf(task)];
  const auto now = static_cast<float>(std::max(nanoseconds, 1.0));
  float known = cost.nanoseconds.load(std::memory_order_relaxed);
  if (cost.task.load(std::memory_order_relaxed) != task) {
    cost.nanoseconds.store(now, std::memory_order_relaxed);
    cost.task.store(task, std::memory_order_relaxed);
    return;
  }
  if (now > known * 0.9F && now < known * 1.1F)
    return;
  known += (now - known) * (now < known ? 0.5F : 0.125F);
  cost.nanoseconds.store(known, std::memory_order_relaxed);
}

/// Returns false if nothing was left for the thread.
bool Pool::runChunks(Job &job, uint32_t place, void *scratch, Clock::time_point begin) {
  SliceWalk walk(job, place);
  Chunk chunk;
  bool hasRun = false;
  for (; walk.next(chunk); hasRun = true) {
    job.task(job.arguments, scratch, chunk.begin, chunk.end, job.grid);
    if (!job.isMeasured)
      continue;
    const Clock::time_point now = Clock::now();
    const double spent = std::chrono::duration<double, std::nano>(now - begin).count();
    const double each = spent / (chunk.end - chunk.begin);
    walk.took(spent);
    // One thread's word: all slices have their turn.
    if (walk.slice() == job.use % job.slices && chunk.end - chunk.begin >= job.chunk)
      learn(job.task, each);
    const double rest = each * job.slices * (job.endOf(walk.slice()) - chunk.end);
    if (rest > 2 * worthAWake && job.hands() < threadCount() && rest > 2 * worthAWake * job.hands())
      recruit(job, rest);
    begin = now;
  }
  return hasRun;
}

} // namespace sextant::loader
