// The CPU's execution engine: in-order queues of commands, run by a pool of
// threads. All workers share the blocks of a launch; other commands take one.
//
// Blocks are handed out in increasing order by an atomic counter, a chunk at a
// time, and a chunk runs in increasing order. So a block that waits for an earlier
// one waits for one that is done or running: it makes progress with any number of
// threads, one included.
//
// A thread that waits for a queue does its small work itself, one thread at a time: it would
// wait longer for a worker to wake.
//
// One mutex guards all queues. It is held for a few dozen instructions, never
// while kernel code or a copy runs.
#pragma once

#include "loader/Error.h"

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

/// A task of a CPU image: runs blocks [blockBegin, blockEnd) in increasing order.
using CpuTask = void (*)(const void *args, void *shared, uint32_t blockBegin, uint32_t blockEnd,
                         uint32_t gridDim);

/// An event's state, shared by the handle and the commands that refer to it.
struct CpuEventState {
  CpuEventState() { pending.reserve(8); }
  /// The point of that call of record, under the pool's mutex. A later one in another stream
  /// may come first: who waits for the earlier one goes on waiting.
  void reach(uint64_t generation);

  uint64_t recorded = 0;                      ///< calls of record; under the pool's mutex
  std::vector<uint64_t> pending;              ///< those not reached, ascending; likewise
  std::atomic<uint64_t> reached{0};           ///< the last one that is, with all before it
  uint64_t timed = 0;                         ///< the last one that is at all, and
  std::chrono::steady_clock::time_point time; ///< when that was; under the pool's mutex
};

/// One entry of a queue.
struct Command {
  enum Kind : uint8_t { Launch, Copy, Fill, Record, Wait } kind = Launch;
  uint8_t patternBytes = 1;
  uint32_t pattern = 0;
  uint32_t users = 0; ///< workers inside; under the pool's mutex
  uint32_t grid = 0, chunk = 1;
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

/// Commands that run one after another. Owned by a stream; known to the pool while
/// it is not empty.
struct Queue {
  static constexpr uint64_t capacity = 256;
  std::unique_ptr<Command[]> ring = std::make_unique<Command[]>(capacity);
  uint64_t head = 0, tail = 0;         ///< under the pool's mutex
  std::atomic<uint64_t> completed{0};  ///< equals head, for those who spin
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

  /// Starts that many threads, or as many as the system gives. Without any, whoever submits
  /// work runs it.
  void start(unsigned threads);
  unsigned threadCount() const { return static_cast<unsigned>(workers.size()); }

  /// Makes sure that every worker has that much scratch memory, before a task that
  /// needs it is launched.
  sxt_status reserveScratch(size_t bytes);

  /// Announces a queue, so that no later step needs memory for it; and takes it back, empty.
  void join();
  void leave();

  /// Appends a command that `fill` sets up, under the mutex. Waits while the queue is full.
  template <class Fill> void submit(Queue &queue, Fill fill) {
    std::unique_lock lock = acquire();
    if (queue.tail - queue.head == Queue::capacity)
      awaitSpace(queue, lock);
    fill(queue.ring[queue.tail % Queue::capacity]);
    appended(queue, lock);
  }

  /// Blocks until everything submitted to the queue so far is done.
  void finish(Queue &queue);
  /// Blocks until the event's generation is reached.
  void finish(CpuEventState &event, uint64_t generation);
  /// Guards event state and `Queue::tail`.
  std::unique_lock<std::mutex> acquire();

private:
  struct Worker {
    std::thread thread;
    std::atomic<void *> scratch{nullptr};
  };

  void work(Worker &self);
  void run(Command &command, void *scratch);
  void help(Queue &queue, uint64_t target, std::unique_lock<std::mutex> &lock);
  void idle(std::unique_lock<std::mutex> &lock);
  void awaitSpace(Queue &queue, std::unique_lock<std::mutex> &lock);
  void appended(Queue &queue, std::unique_lock<std::mutex> &lock);
  void advance(Queue &queue);
  void retire(Queue &queue);
  void list(Queue &queue);
  void unlist(Queue &queue);
  void sleepUntil(Queue &queue, uint64_t head, std::unique_lock<std::mutex> &lock);

  std::vector<std::unique_ptr<Worker>> workers;
  std::atomic<void *> guestScratch{nullptr}; ///< of a waiting thread that helps
  bool guest = false;                        ///< one does; under the mutex
  std::mutex mutex;
  std::condition_variable workPosted, commandDone;
  std::vector<Queue *> ready;   ///< the front command wants workers
  std::vector<Queue *> blocked; ///< the front command waits for an event
  std::atomic<size_t> readyCount{0};
  unsigned sleeping = 0, spinning = 0;
  bool waking = false;       ///< a worker was told to wake and has not yet
  unsigned eventWaiters = 0; ///< asleep until an event is reached
  size_t queues = 0;
  bool stopping = false;
  bool threadless = false, lent = false; ///< no thread; a caller is running what is ready
  std::atomic<bool> stopRequested{false};

  std::mutex scratchMutex;
  size_t scratchBytes = 0;
  std::vector<void *> scratchBlocks; ///< all that was ever given out
};

} // namespace sextant::loader
