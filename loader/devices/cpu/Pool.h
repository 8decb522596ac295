// The CPU's execution engine: in-order queues of commands, which a pool of threads runs. All
// workers may share the blocks of a launch. Any other command takes one thread.
//
// Blocks are handed out in chunks, and each chunk runs in increasing order. Blocks that wait for
// earlier ones are handed out one by one in increasing order, too. So such a block waits for one
// that is done or running: it makes progress with any number of threads, even one.
//
// How many threads share a launch depends on how long it takes: the pool remembers what a block of
// each task took. A thread that waits for a queue is one of them, one waiting thread at a time.
//
// The front command of each queue is open: it has a job (Job.h), which threads enter and leave
// without a lock. Jobs live as long as the pool, so whoever looks at one late does no harm. The
// last thread to leave a job closes its command and opens the queue's next one. That, and
// submitting, is what the pool's one mutex guards. It is held for a few dozen instructions, never
// while kernel code or a copy runs, and workers that come and go do not take it.
//
// A worker without work spins for a while, then sleeps (Workers.cpp). All that spin watch one word,
// `posted`, which names the job that was opened last and how many workers shall come at once.
//
// In the child of a fork, a pool that had no work starts workers anew when it gets some. One that
// was working is interrupted: the work's threads, and what they had done, are the parent's.
#pragma once

#include "loader/Error.h"
#include "loader/devices/Device.h"
#include "loader/devices/cpu/Job.h"
#include "loader/system/Fork.h"
#include "loader/system/Thread.h"

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

namespace sextant::loader {

/// An event's state. The handle shares it with the commands that refer to it.
struct CpuEventState {
  CpuEventState() { pending.reserve(8); }
  /// Reaches the point of call number `generation` of record, under the pool's mutex. A later
  /// point in another stream may come first; threads that wait for the earlier one go on waiting.
  void reach(uint64_t generation);

  uint64_t recorded = 0;                      ///< calls of record; under the pool's mutex
  std::vector<uint64_t> pending;              ///< the calls not reached, ascending; likewise
  std::atomic<uint64_t> reached{0};           ///< the last call that is reached, with all before it
  uint64_t timed = 0;                         ///< the last call that is reached at all, and
  std::chrono::steady_clock::time_point time; ///< its time; under the pool's mutex
};

/// Commands that run one after another. A stream owns the queue. The pool knows it while it is not
/// empty.
struct Queue {
  static constexpr uint64_t capacity = 256;
  std::unique_ptr<Command[]> ring = std::make_unique<Command[]>(capacity);
  uint64_t head = 0, tail = 0;        ///< under the pool's mutex
  std::atomic<uint64_t> completed{0}; ///< equals head, for threads that spin
  uint64_t wakeAt = UINT64_MAX;       ///< the least head that someone sleeps for
  bool blocked = false;               ///< the front command waits for an event
  Job *job = nullptr;                 ///< the front command's, if it is open

  Command &front() { return ring[head % capacity]; }
};

class Pool final : private system::ForkWatcher {
public:
  Pool() = default;
  ~Pool(); ///< its queues are gone
  Pool(const Pool &) = delete;
  Pool &operator=(const Pool &) = delete;

  /// Starts that many threads, or as many as the system gives. Without any thread, the thread that
  /// submits work runs it. A worker spins for at most that long before it sleeps. A launch begins
  /// with no more threads than there are `processors`, if it is known how long it takes.
  void start(unsigned threads, std::chrono::microseconds spin, unsigned processors);
  bool hasWorkers() const { return !threadless; }
  unsigned threadCount() const { return static_cast<unsigned>(workers.size()); }

  /// Makes sure that every worker has that much scratch memory. Called before a task that needs it
  /// is launched.
  sxt_status reserveScratch(size_t bytes);

  /// Returns how threads shall share a launch of the task, whose code is `code`.
  Partition partition(CpuTask code, uint32_t grid, const LoadedTask &task) const;

  /// join() announces a queue, so that no later step needs memory for it. leave() takes it back
  /// when it is empty.
  void join(Queue &queue);
  void leave(Queue &queue);

  /// True in the child of a fork if the pool was working. It does no work any more, and nothing
  /// waits for it.
  bool isInterrupted() const { return interrupted.load(std::memory_order_relaxed); }

  /// Appends a command that `fill` sets up under the mutex. Waits while the queue is full.
  template <class Fill> void submit(Queue &queue, Fill fill) {
    std::unique_lock lock = acquire();
    if (isInterrupted()) [[unlikely]]
      return;
    if (queue.tail - queue.head == Queue::capacity)
      awaitSpace(queue, lock);
    fill(queue.ring[queue.tail % Queue::capacity]);
    appended(queue, lock);
  }

  /// Blocks until all work that was submitted to the queue so far is done.
  void finish(Queue &queue);
  /// The same for all queues.
  void finishAll();
  /// Blocks until the event's generation is reached.
  void finish(CpuEventState &event, uint64_t generation);
  /// Guards queues, event state and the opening and closing of jobs.
  std::unique_lock<std::mutex> acquire();

private:
  /// The time that a block of a task took, lately.
  struct Cost {
    std::atomic<CpuTask> task{nullptr};
    std::atomic<float> nanoseconds{0};
  };
  static size_t costOf(CpuTask task) { return (reinterpret_cast<uintptr_t>(task) >> 4) % 512; }
  void learn(CpuTask task, double nanoseconds);

  struct alignas(64) Worker {
    enum State : uint32_t { Busy, Spinning, Asleep };
    std::atomic<uint32_t> state{Busy};
    std::atomic<void *> scratch{nullptr};
    uint32_t index = 0;
    uint32_t lastJob = 0;                            ///< where it found work last
    std::chrono::steady_clock::time_point idleSince; ///< it ended its work or was woken
    std::chrono::steady_clock::duration credit{0};   ///< time to spin that it has earned
    Pool *pool = nullptr;
    system::Thread thread; ///< not started: the place of a thread that submits work
  };

  // Workers.cpp
  void work(Worker &self);
  Job *find(Worker &self, uint64_t post, bool any);
  bool idle(Worker &self, uint64_t seen, bool any);
  void sleep(Worker &self);
  void runInCaller();
  bool wake(Worker &worker);
  void wakeWorkers(Job &job);
  void advertiseWork(unsigned coming);
  unsigned countUnclaimed() const;
  bool serve(Job &job, uint32_t place, void *scratch, std::chrono::steady_clock::time_point begin);
  bool help(Queue &queue, std::unique_lock<std::mutex> &lock);

  // Chunks.cpp
  bool runChunks(Job &job, uint32_t place, void *scratch,
                 std::chrono::steady_clock::time_point begin);
  void recruit(Job &job, double nanoseconds);

  // Pool.cpp
  void startWorkers();
  void beforeFork() override;
  void afterFork(bool isChild) override;
  void restart();
  void awaitSpace(Queue &queue, std::unique_lock<std::mutex> &lock);
  void sleepUntil(Queue &queue, uint64_t head, std::unique_lock<std::mutex> &lock);
  void appended(Queue &queue, std::unique_lock<std::mutex> &lock);
  void advance(Queue &queue);
  void retire(Queue &queue);
  void open(Queue &queue);
  void post(const Job &job, uint32_t called);
  bool isRow(const Partition &partition);
  void close(Job &job);
  void countOthers();
  static bool isForGuests(const Command &command);
  uint32_t guestPlace() const { return static_cast<uint32_t>(places.size() - 1); }
  uint32_t jobLimit() const { return threadCount() + 2; }

  std::vector<std::unique_ptr<Worker>> workers;
  unsigned processors = 1;
  std::chrono::steady_clock::duration longSpin{0}, shortSpin{0};
  std::atomic<void *> guestScratch{nullptr}; ///< scratch memory of a waiting thread that helps
  std::mutex scratchMutex;
  size_t scratchBytes = 0;
  std::vector<void *> scratchBlocks; ///< all that was ever given out
  std::mutex queuesMutex;
  std::vector<Queue *> queues;
  std::array<Cost, 512> costs;
  std::unique_ptr<ThreadPlace[]> placeMemory;
  std::span<ThreadPlace> places; ///< the workers', and one of a waiting thread that helps

  /// One for each queue, but not more than threads can be in, and one in which nobody is.
  std::unique_ptr<std::unique_ptr<Job>[]> jobs;
  std::atomic<uint32_t> jobCount{0}; ///< they are made one by one

  std::mutex mutex;
  // Under it:
  std::condition_variable commandDone;
  std::vector<Job *> freeJobs;                  ///< the last one freed is the next one used
  std::vector<Queue *> waiting;                 ///< for a free job
  std::vector<Queue *> blocked;                 ///< the front command waits for an event
  const Job *newest = nullptr;                  ///< the one that `posted` names, if it is open
  std::chrono::steady_clock::time_point missed; ///< when a launch last lacked workers
  unsigned eventWaiters = 0;                    ///< asleep until an event is reached
  bool guest = false;                           ///< a waiting thread helps
  bool threadless = false, callerRuns = false;  ///< no thread; a caller runs the open jobs now
  bool orphaned = false;                        ///< the workers' threads are those of the parent
  std::atomic<bool> interrupted{false};

  /// Changes when a job is opened. Above: a count; then how many workers are called, those of the
  /// lowest indices; then the job's index.
  alignas(64) std::atomic<uint64_t> posted{0};
  /// Open jobs but the newest. A thread that looks for work looks at all jobs if there are some.
  alignas(64) std::atomic<uint32_t> others{0};
  std::atomic<uint32_t> sleepers{0};
  std::atomic<bool> stopRequested{false};
};

} // namespace sextant::loader
