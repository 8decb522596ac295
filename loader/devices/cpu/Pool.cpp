// The workers and those who wait for them. Each thread spins for some microseconds before it
// sleeps, so that small launches in a row cost no system calls.
#include "loader/devices/cpu/Pool.h"

#include <algorithm>
#include <cfenv>
#include <csignal>
#include <cstdlib>
#include <pthread.h>
#include <utility>

namespace sextant::loader {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto workerSpin = std::chrono::microseconds(30);
constexpr auto waiterSpin = std::chrono::microseconds(30);

void pauseBriefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Spins until `done` is true or the time is up. Returns the last value of `done`.
template <class Done> bool spinUntil(Clock::duration limit, Done done) {
  Clock::time_point end = Clock::now() + limit;
  do {
    for (int i = 0; i < 32; ++i) {
      if (done())
        return true;
      pauseBriefly();
    }
  } while (Clock::now() < end);
  return false;
}

void fillMemory(void *destination, uint32_t pattern, unsigned patternBytes, uint64_t bytes) {
  auto *out = static_cast<std::byte *>(destination);
  if (patternBytes == 1) {
    std::memset(out, static_cast<int>(pattern), bytes);
    return;
  }
  for (uint64_t at = 0; at < bytes; at += patternBytes)
    std::memcpy(out + at, &pattern, patternBytes);
}

} // namespace

void CpuEventState::reach(uint64_t generation) {
  pending.erase(std::find(pending.begin(), pending.end(), generation));
  if (generation > timed) { // recorded in two streams, the later call counts
    timed = generation;
    time = Clock::now();
  }
  reached.store(pending.empty() ? recorded : pending.front() - 1, std::memory_order_release);
}

void Pool::start(unsigned threads) {
  workers.reserve(threads);
  auto worker = std::make_unique<Worker>();
  // Signals go to the application's threads.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    while (workers.size() < threads) {
      worker->thread = std::thread([this, self = worker.get()] { work(*self); });
      pthread_setname_np(worker->thread.native_handle(), "sextant-cpu");
      workers.push_back(std::move(worker)); // there is room
      worker = std::make_unique<Worker>();
    }
  } catch (const std::exception &error) { // no thread, or no memory for one: fewer will do
    threadless = workers.empty();
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (threadless)
    workers.push_back(std::move(worker)); // the place of whoever submits work
}

void Pool::join() {
  std::unique_lock lock = acquire();
  for (std::vector<Queue *> *list : {&ready, &blocked})
    if (list->capacity() <= queues)
      list->reserve(2 * queues + 1);
  ++queues;
}

void Pool::leave() {
  std::unique_lock lock = acquire();
  --queues;
}

Pool::~Pool() {
  {
    std::unique_lock lock(mutex);
    stopping = true;
    stopRequested.store(true, std::memory_order_relaxed);
  }
  workPosted.notify_all();
  for (auto &worker : workers)
    if (worker->thread.joinable())
      worker->thread.join();
  for (void *block : scratchBlocks)
    std::free(block);
}

sxt_status Pool::reserveScratch(size_t bytes) {
  std::lock_guard lock(scratchMutex);
  if (bytes <= scratchBytes)
    return SXT_OK;
  // Workers may be using the old memory, so it stays until the end. Doubling bounds the sum.
  size_t size = std::max<size_t>((bytes + 63) / 64 * 64, scratchBytes * 2);
  const size_t before = scratchBlocks.size(), seats = workers.size() + 1; // one is a guest's
  scratchBlocks.reserve(before + seats);
  for (size_t i = 0; i < seats; ++i) {
    void *block = std::aligned_alloc(64, size);
    if (!block)
      return fail(SXT_ERROR_OUT_OF_MEMORY, "no memory for %zu bytes of shared arrays a thread",
                  size);
    scratchBlocks.push_back(block);
  }
  for (size_t i = 0; i < workers.size(); ++i)
    workers[i]->scratch.store(scratchBlocks[before + i], std::memory_order_release);
  guestScratch.store(scratchBlocks.back(), std::memory_order_release);
  scratchBytes = size;
  return SXT_OK;
}

std::unique_lock<std::mutex> Pool::acquire() {
  std::unique_lock lock(mutex, std::try_to_lock);
  for (int i = 0; i < 200 && !lock.owns_lock(); ++i) {
    pauseBriefly();
    lock.try_lock();
  }
  if (!lock.owns_lock())
    lock.lock();
  return lock;
}

//===--- Queues (all under the mutex) --------------------------------------===//

void Pool::list(Queue &queue) {
  queue.ready = true;
  ready.push_back(&queue);
  Command &command = queue.front();
  command.seats =
      command.kind == Command::Launch ? command.hands.load(std::memory_order_relaxed) : 1;
  count();
}

void Pool::count() {
  uint32_t seats = 0;
  for (const Queue *queue : ready)
    seats += queue->ring[queue->head % Queue::capacity].seats;
  vacancies.store(seats, std::memory_order_release);
}

bool Pool::claim() {
  uint32_t seats = vacancies.load(std::memory_order_acquire);
  return seats && vacancies.compare_exchange_strong(seats, seats - 1, std::memory_order_acquire);
}

/// Takes a seat of the queue's front command.
void Pool::enter(Queue &queue) {
  Command &command = queue.front();
  ++command.users;
  if (--command.seats == 0)
    unlist(queue);
  else
    count();
}

/// No blocks are left to hand out. The last thread to leave closes the command.
void Pool::depart(Queue &queue) {
  if (queue.ready)
    unlist(queue);
  if (--queue.front().users == 0) {
    retire(queue);
    advance(queue);
  }
}

/// How many sleeping workers to wake for the seats that are left.
unsigned Pool::wakes(const Command &command) const {
  if (command.kind != Command::Launch)
    return 0;
  const uint32_t come = command.hands - command.seats; // and those that spin come by themselves
  if (command.seats <= spinning || come >= command.woken)
    return 0;
  return std::min({sleeping, command.seats - spinning, command.woken - come});
}

void Pool::unlist(Queue &queue) {
  if (!queue.ready)
    return;
  queue.ready = false;
  ready.erase(std::find(ready.begin(), ready.end(), &queue));
  count();
}

void Pool::awaitSpace(Queue &queue, std::unique_lock<std::mutex> &lock) {
  while (queue.tail - queue.head == Queue::capacity) {
    // Waits until half of the queue is done, so that one wake-up pays for many commands.
    uint64_t target = queue.head + Queue::capacity / 2;
    lock.unlock();
    bool done = spinUntil(
        waiterSpin, [&] { return queue.completed.load(std::memory_order_acquire) >= target; });
    lock = acquire();
    if (!done)
      sleepUntil(queue, target, lock);
  }
}

void Pool::sleepUntil(Queue &queue, uint64_t head, std::unique_lock<std::mutex> &lock) {
  while (queue.head < head) {
    queue.wakeAt = std::min(queue.wakeAt, head);
    commandDone.wait(lock);
  }
}

void Pool::appended(Queue &queue, std::unique_lock<std::mutex> &lock) {
  Command &command = queue.ring[queue.tail % Queue::capacity];
  if (command.kind == Command::Record) {
    command.event->pending.push_back(command.event->recorded + 1);
    command.generation = ++command.event->recorded;
  }
  bool wasEmpty = queue.head == queue.tail++;
  if (!wasEmpty)
    return;
  advance(queue);
  // A spinning worker looks at the list before it sleeps.
  bool wake = !ready.empty() && sleeping && !spinning && !waking;
  waking |= wake;
  bool runs =
      threadless && !ready.empty() && !lent; // a thread that is already running takes this along
  lent |= runs;
  lock.unlock();
  if (wake)
    workPosted.notify_one();
  if (runs) [[unlikely]] {
    std::fenv_t before;
    std::fegetenv(&before);
    work(*workers.front());
    std::fesetenv(&before);
  }
}

/// Removes the front command.
void Pool::retire(Queue &queue) {
  Command &command = queue.front();
  command.event.reset();
  ++queue.head;
  queue.completed.store(queue.head, std::memory_order_release);
  if (queue.head >= queue.wakeAt) { // threads that wait for more set it again
    queue.wakeAt = UINT64_MAX;
    commandDone.notify_all();
  }
}

/// Does the steps that need no worker, then lists the queue if it needs one.
void Pool::advance(Queue &queue) {
  while (queue.head != queue.tail) {
    Command &command = queue.front();
    if (command.kind == Command::Record) {
      std::shared_ptr<CpuEventState> event = std::move(command.event);
      event->reach(command.generation);
      if (eventWaiters)
        commandDone.notify_all();
      retire(queue);
      // Queues that wait for the event go on. Each step shortens some queue, so the recursion ends.
      for (size_t i = 0; i < blocked.size();) {
        Queue &other = *blocked[i];
        Command &wait = other.front();
        if (wait.event == event &&
            wait.generation <= event->reached.load(std::memory_order_relaxed)) {
          blocked.erase(blocked.begin() + static_cast<ptrdiff_t>(i));
          other.blocked = false;
          advance(other);
          i = 0;
        } else {
          ++i;
        }
      }
      continue;
    }
    if (command.kind == Command::Wait) {
      if (command.event->reached.load(std::memory_order_relaxed) >= command.generation) {
        retire(queue);
        continue;
      }
      queue.blocked = true;
      blocked.push_back(&queue);
      return;
    }
    list(queue);
    return;
  }
}

//===--- Workers -----------------------------------------------------------===//

void Pool::work(Worker &self) {
  std::fesetenv(FE_DFL_ENV); // kernels run under the default rounding, whoever opened the device
  std::unique_lock lock = acquire();
  for (;;) {
    if (ready.empty()) {
      if (stopping || std::exchange(lent, false))
        return;
      idle(lock);
      continue;
    }
    Queue &queue = *ready.front();
    Command &command = queue.front();
    enter(queue);
    // Each worker that joins wakes two more: a tree, not a queue.
    unsigned more = std::min(2u, wakes(command));
    if (sleeping && ready.size() > (queue.ready ? 1u : 0u)) // other queues wait, too
      more = std::max(more, 1u);
    lock.unlock();
    for (; more; --more)
      workPosted.notify_one();
    run(queue, command, self.scratch.load(std::memory_order_acquire));
    lock = acquire();
    depart(queue);
  }
}

/// Does the rest of a command.
void Pool::run(Queue &queue, Command &command, void *scratch) {
  if (command.kind == Command::Launch)
    runChunks(queue, command, scratch);
  else if (command.kind == Command::Copy)
    std::memcpy(command.destination, command.source, command.bytes);
  else
    fillMemory(command.destination, command.pattern, command.patternBytes, command.bytes);
}

void Pool::idle(std::unique_lock<std::mutex> &lock) {
  ++spinning;
  lock.unlock();
  const bool came = spinUntil(
      workerSpin, [&] { return claim() || stopRequested.load(std::memory_order_relaxed); });
  lock = acquire();
  --spinning;
  if (came || !ready.empty() || stopping)
    return;
  ++sleeping;
  waking = false; // the notified thread is awake, or notifies the next one
  workPosted.wait(lock);
  --sleeping;
  waking = false;
}

//===--- Waiting -----------------------------------------------------------===//

namespace {

/// Returns true if the thread's stack has enough room left for kernels. Always false on a fiber's
/// stack.
bool hasRoom() {
  struct Bounds {
    uintptr_t begin = 0, end = 0;
    Bounds() {
      pthread_attr_t attributes;
      if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return;
      void *lowest = nullptr;
      size_t size = 0;
      if (pthread_attr_getstack(&attributes, &lowest, &size) == 0) {
        begin = reinterpret_cast<uintptr_t>(lowest);
        end = begin + size;
      }
      pthread_attr_destroy(&attributes);
    }
  };
  constexpr uintptr_t wanted = uintptr_t(1) << 20;
  static thread_local const Bounds bounds;
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  return here < bounds.end && here > bounds.begin && here - bounds.begin >= wanted;
}

/// Returns true if a waiting thread should do the command, or share it. It can do nothing else
/// until the command ends, so it leaves long copies to the workers.
bool isForGuests(const Command &command) {
  return command.kind == Command::Launch || command.bytes <= uint64_t(1) << 14;
}

} // namespace

/// Takes seats of commands up to `target`.
void Pool::help(Queue &queue, uint64_t target, std::unique_lock<std::mutex> &lock) {
  auto wanted = [&] { return queue.head < target && queue.ready && isForGuests(queue.front()); };
  if (guest || threadless || !wanted() || !hasRoom())
    return;
  guest = true;
  std::fenv_t environment;
  std::fegetenv(&environment);
  std::fesetenv(FE_DFL_ENV);
  while (wanted()) {
    Command &command = queue.front();
    enter(queue);
    const bool wakesOne = wakes(command) > 0;
    lock.unlock();
    if (wakesOne)
      workPosted.notify_one();
    run(queue, command, guestScratch.load(std::memory_order_acquire));
    lock = acquire();
    depart(queue);
    // Some queue may have waited for this command. The next command of this thread may wait for
    // that queue, so a worker must take it.
    if (ready.size() > (queue.ready ? 1u : 0u) && sleeping && !spinning)
      workPosted.notify_one();
  }
  std::fesetenv(&environment);
  guest = false;
  if (!ready.empty() && sleeping && !spinning) // the commands that were too large
    workPosted.notify_one();
}

void Pool::finish(Queue &queue) {
  std::unique_lock lock = acquire();
  const uint64_t target = queue.tail;
  auto done = [&] { return queue.completed.load(std::memory_order_acquire) >= target; };
  help(queue, target, lock);
  lock.unlock();
  if (spinUntil(waiterSpin, done))
    return;
  lock = acquire();
  sleepUntil(queue, target, lock);
}

void Pool::finish(CpuEventState &event, uint64_t generation) {
  auto reached = [&] { return event.reached.load(std::memory_order_acquire) >= generation; };
  if (spinUntil(waiterSpin, reached))
    return;
  std::unique_lock lock(mutex);
  ++eventWaiters;
  commandDone.wait(lock, reached);
  --eventWaiters;
}

} // namespace sextant::loader
