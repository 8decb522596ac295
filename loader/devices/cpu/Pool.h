// The CPU's execution engine: in-order queues of commands, which a pool of threads runs. All
// workers share the blocks of a launch. Any other command takes one worker.
//
// An atomic counter hands out blocks in increasing order, one chunk at a time, and each chunk runs
// in increasing order. So a block that waits for an earlier one waits for a block that is done or
// running: it makes progress with any number of threads, even one.
//
// How many threads share a launch depends on how long it takes: the pool remembers what a block of
// each task took. A thread that waits for a queue is one of them, one waiting thread at a time.
// Chunks grow while they take little time, so that tasks that collect results for a call have
// little to write back.
//
// One mutex guards all queues. It is held for a few dozen instructions, never while kernel code or
// a copy runs.
#pragma once

#include "loader/Error.h"

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace sextant::loader {

/// A task of a CPU image. It runs the blocks [blockBegin, blockEnd) in increasing order.
using CpuTask = void (*)(const void *args, void *shared, uint32_t blockBegin, uint32_t blockEnd,
                         uint32_t gridDim);

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

/// One entry of a queue.
struct Command {
  enum Kind : uint8_t { Launch, Copy, Fill, Record, Wait } kind = Launch;
  uint8_t patternBytes = 1;
  uint32_t pattern = 0;
  uint32_t users = 0;             ///< threads inside; under the pool's mutex
  std::atomic<uint32_t> hands{1}; ///< the most threads that shall work at it
  uint32_t seats = 1;             ///< how many of them are yet to come; under the pool's mutex
  uint32_t woken = 1;             ///< the most that are worth waking
  uint32_t grid = 0, chunk = 1;
  bool isGrowing = false; ///< chunks may grow
  CpuTask task = nullptr;
  void *destination = nullptr; ///< Copy, Fill
  const void *source = nullptr;
  uint64_t bytes = 0;
  std::shared_ptr<CpuEventState> event; ///< Record, Wait
  uint64_t generation = 0;
  alignas(64) std::atomic<uint64_t> next{0}; ///< first block that nobody has
  alignas(64) std::byte block[320];
  const void *arguments = block;
  std::vector<std::byte> largeBlock; ///< one that `block` cannot hold; kept for the next one

  void setArguments(const void *given, size_t bytes) {
    std::byte *to = block;
    if (bytes > sizeof block) {
      if (largeBlock.size() < bytes)
        largeBlock.resize(bytes);
      to = largeBlock.data();
    }
    std::memcpy(to, given, bytes);
    arguments = to;
  }
};

/// Commands that run one after another. A stream owns the queue. The pool knows it while it is not
/// empty.
struct Queue {
  static constexpr uint64_t capacity = 256;
  std::unique_ptr<Command[]> ring = std::make_unique<Command[]>(capacity);
  uint64_t head = 0, tail = 0;         ///< under the pool's mutex
  std::atomic<uint64_t> completed{0};  ///< equals head, for threads that spin
  uint64_t wakeAt = UINT64_MAX;        ///< the least head that someone sleeps for
  bool ready = false, blocked = false; ///< in which of the pool's lists

  Command &front() { return ring[head % capacity]; }
};

class Pool {
public:
  Pool() = default;
  ~Pool(); ///< its queues are gone
  Pool(const Pool &) = delete;
  Pool &operator=(const Pool &) = delete;

  /// Starts that many threads, or as many as the system gives. Without any thread, the thread that
  /// submits work runs it.
  void start(unsigned threads);
  unsigned threadCount() const { return static_cast<unsigned>(workers.size()); }

  /// Makes sure that every worker has that much scratch memory. Called before a task that needs it
  /// is launched.
  sxt_status reserveScratch(size_t bytes);

  /// Sets a launch's chunk and hands. Called by `fill`. `threads` are those of a block.
  void plan(Command &command, CpuTask task, uint32_t grid, unsigned threads, bool waits) const;

  /// join() announces a queue, so that no later step needs memory for it. leave() takes it back
  /// when it is empty.
  void join();
  void leave();

  /// Appends a command that `fill` sets up under the mutex. Waits while the queue is full.
  template <class Fill> void submit(Queue &queue, Fill fill) {
    std::unique_lock lock = acquire();
    if (queue.tail - queue.head == Queue::capacity)
      awaitSpace(queue, lock);
    fill(queue.ring[queue.tail % Queue::capacity]);
    appended(queue, lock);
  }

  /// Blocks until all work that was submitted to the queue so far is done.
  void finish(Queue &queue);
  /// Blocks until the event's generation is reached.
  void finish(CpuEventState &event, uint64_t generation);
  /// Guards event state and `Queue::tail`.
  std::unique_lock<std::mutex> acquire();

private:
  /// What a block of a task took, lately.
  struct Cost {
    std::atomic<CpuTask> task{nullptr};
    std::atomic<float> nanoseconds{0};
  };
  static size_t costOf(CpuTask task) { return (reinterpret_cast<uintptr_t>(task) >> 4) % 512; }
  void learn(CpuTask task, double nanoseconds);

  struct Worker {
    std::thread thread;
    std::atomic<void *> scratch{nullptr};
  };

  void work(Worker &self);
  void run(Queue &queue, Command &command, void *scratch);
  void runChunks(Queue &queue, Command &command, void *scratch);
  void recruit(Queue &queue, Command &command, double nanoseconds);
  void enter(Queue &queue);
  void depart(Queue &queue);
  void count();
  unsigned wakes(const Command &command) const;
  void help(Queue &queue, uint64_t target, std::unique_lock<std::mutex> &lock);
  void idle(std::unique_lock<std::mutex> &lock);
  void awaitSpace(Queue &queue, std::unique_lock<std::mutex> &lock);
  void appended(Queue &queue, std::unique_lock<std::mutex> &lock);
  void advance(Queue &queue);
  void retire(Queue &queue);
  void list(Queue &queue);
  bool claim();
  void unlist(Queue &queue);
  void sleepUntil(Queue &queue, uint64_t head, std::unique_lock<std::mutex> &lock);

  std::vector<std::unique_ptr<Worker>> workers;
  std::atomic<void *> guestScratch{nullptr}; ///< of a waiting thread that helps
  bool guest = false;                        ///< one does; under the mutex
  std::mutex mutex;
  std::condition_variable workPosted, commandDone;
  std::vector<Queue *> ready;   ///< the front command wants workers
  std::vector<Queue *> blocked; ///< the front command waits for an event
  /// Seats of the ready commands. A worker that spins claims one before it takes the mutex, so that
  /// no more come than there are seats. A claim is a hint: the seat may be gone.
  std::atomic<uint32_t> vacancies{0};
  std::array<Cost, 512> costs;
  unsigned sleeping = 0, spinning = 0;
  bool waking = false;       ///< a worker was told to wake and has not yet
  unsigned eventWaiters = 0; ///< asleep until an event is reached
  size_t queues = 0;
  bool stopping = false;
  bool threadless = false, lent = false; ///< no thread; a caller runs the ready commands
  std::atomic<bool> stopRequested{false};

  std::mutex scratchMutex;
  size_t scratchBytes = 0;
  std::vector<void *> scratchBlocks; ///< all that was ever given out
};

} // namespace sextant::loader
