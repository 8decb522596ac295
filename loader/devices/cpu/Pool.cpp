// The queues of commands: appending, opening, closing, and waiting for them.
#include "loader/devices/cpu/Pool.h"
#include "loader/devices/cpu/Spin.h"
#include "loader/system/Memory.h"

#include <algorithm>
#include <utility>

namespace sextant::loader {
void CpuEventState::reach(uint64_t generation) {
  pending.erase(std::find(pending.begin(), pending.end(), generation));
  if (generation > timed) { // recorded in two streams, the later call counts
    timed = generation;
    time = Clock::now();
  }
  reached.store(pending.empty() ? recorded : pending.front() - 1, std::memory_order_release);
}

void Pool::start(unsigned threads, std::chrono::microseconds spin, unsigned processorCount) {
  processors = processorCount;
  longSpin = spin;
  shortSpin = std::min<Clock::duration>(spin, shortestSpin);
  jobs = std::make_unique<std::unique_ptr<Job>[]>(threads + 2);
  placeMemory = std::make_unique<ThreadPlace[]>(std::max(threads, 1u) + 1);
  places = {placeMemory.get(), std::max(threads, 1u) + 1};
  for (unsigned i = 0; i < std::max(threads, 1u); ++i) {
    workers.push_back(std::make_unique<Worker>());
    workers.back()->pool = this;
    workers.back()->index = i;
  }
  startWorkers();
  system::watchForks(*this);
}

/// Starts a thread for each worker. If the system has no more threads, fewer will do; without any,
/// one worker stays as the place of whoever submits work.
void Pool::startWorkers() {
  auto run = [](void *given) {
    auto *self = static_cast<Worker *>(given);
    self->pool->work(*self);
  };
  size_t started = 0;
  while (started < workers.size() && workers[started]->thread.start(run, workers[started].get()))
    ++started;
  threadless = started == 0;
  workers.resize(std::max<size_t>(started, 1));
}

void Pool::join(Queue &queue) {
  std::lock_guard listLock(queuesMutex);
  if (queues.capacity() == queues.size())
    queues.reserve(2 * queues.size() + 1);
  std::unique_lock lock = acquire();
  for (std::vector<Queue *> *list : {&waiting, &blocked})
    if (list->capacity() <= queues.size())
      list->reserve(2 * queues.size() + 1);
  freeJobs.reserve(jobLimit());
  const uint32_t made = jobCount.load(std::memory_order_relaxed);
  if (made <= queues.size() && made < jobLimit()) {
    jobs[made] = std::make_unique<Job>(made, places);
    freeJobs.push_back(jobs[made].get());
    jobCount.store(made + 1);
  }
  queues.push_back(&queue);
}

void Pool::leave(Queue &queue) {
  if (isInterrupted())
    return;
  std::lock_guard listLock(queuesMutex);
  // Takes the mutex, because the worker that finished the last command may still be in the pool.
  std::unique_lock lock = acquire();
  std::erase(queues, &queue);
}

Pool::~Pool() {
  system::forgetForks(*this);
  stopRequested.store(true);
  if (!orphaned) {
    for (auto &worker : workers)
      wake(*worker);
    for (auto &worker : workers)
      worker->thread.join();
  }
  for (void *block : scratchBlocks)
    system::freeAligned(block);
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
    void *block = system::allocateAligned(64, size);
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
  if (orphaned) [[unlikely]]
    restart();
  return lock;
}

//===--- Forks -------------------------------------------------------------===//

void Pool::beforeFork() { mutex.lock(); }

void Pool::afterFork(bool isChild) {
  if (isChild) {
    orphaned = true;
    bool isWorking =
        freeJobs.size() != jobCount.load() || !waiting.empty() || !blocked.empty() || callerRuns;
    // Others may have been waiting here, who are not in this process.
    new (&commandDone) std::condition_variable;
    for (std::mutex *held : {&scratchMutex, &queuesMutex}) {
      if (held->try_lock()) {
        held->unlock();
        continue;
      }
      new (held) std::mutex; // another thread was about to change what it guards
      isWorking = true;
    }
    if (isWorking)
      interrupted.store(true);
  }
  mutex.unlock();
}

/// The first use in the child of a fork.
void Pool::restart() {
  if (isInterrupted() || threadless)
    return;
  sleepers.store(0);
  eventWaiters = 0;
  for (ThreadPlace &place : places)
    place.inside.store(0);
  for (auto &worker : workers) {
    worker->state.store(Worker::Busy);
    worker->credit = Clock::duration(0);
  }
  startWorkers();
  orphaned = false;
}

//===--- Queues (all under the mutex) --------------------------------------===//

/// Returns true if a waiting thread should do the command, or share it. It can do nothing else
/// until the command ends, so it leaves long copies to the workers.
bool Pool::isForGuests(const Command &command) {
  return command.kind == Command::Launch || command.bytes <= uint64_t(1) << 14;
}

/// Opens the queue's front command.
void Pool::open(Queue &queue) {
  Command &command = queue.front();
  Partition partition = command.kind == Command::Launch ? command.partition : Partition();
  // One place is for the thread that submitted the command: it is likely to wait for it next.
  const uint32_t place = isForGuests(command) ? 1 : 0, awake = threadCount() - sleepers.load();
  if (partition.hands > awake + place) {
    if (isRow(partition))
      partition.woken = std::max(partition.woken, partition.hands - place);
    else
      partition.shareAmong(std::max(partition.woken, awake + place));
  }
  Job &job = *freeJobs.back();
  freeJobs.pop_back();
  queue.job = &job;
  job.open(queue, command, partition);
  post(job, partition.hands - place);
}

/// Tells those who spin of the job. They see what was written before.
void Pool::post(const Job &job, uint32_t called) {
  newest = &job;
  countOthers();
  const uint64_t count = (posted.load(std::memory_order_relaxed) >> 32) + 1;
  posted.store(count << 32 | uint64_t(called) << 16 | job.index);
}

/// Called for a launch that lacks workers, because they sleep. Returns true if as short a time ago
/// as they would have spun had they worked, another one did. One launch may not pay for waking
/// them; all that follow do.
bool Pool::isRow(const Partition &partition) {
  const Clock::time_point now = Clock::now();
  const std::chrono::duration<double, std::nano> since = now - std::exchange(missed, now);
  return since <
         shortSpin + std::chrono::duration<double, std::nano>(spinShare * partition.nanoseconds);
}

/// Closes the command of a job that the last thread has left.
void Pool::close(Job &job) {
  Queue &queue = *job.queue;
  queue.job = nullptr;
  if (newest == &job)
    newest = nullptr;
  freeJobs.push_back(&job);
  retire(queue);
  advance(queue);
  while (!waiting.empty() && !freeJobs.empty()) {
    Queue &next = *waiting.front();
    waiting.erase(waiting.begin());
    open(next);
  }
  countOthers();
}

void Pool::countOthers() {
  const auto open = static_cast<uint32_t>(jobCount.load(std::memory_order_relaxed) -
                                          freeJobs.size() - (newest ? 1 : 0));
  if (others.load(std::memory_order_relaxed) != open) // rarely: others read it
    others.store(open);
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
  const bool runs = threadless && !std::exchange(callerRuns, true); // or another caller takes it
  lock.unlock();
  if (runs) [[unlikely]]
    runInCaller();
  else
    advertiseWork(0);
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

/// Does the steps that need no worker, then opens the next command.
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
    if (freeJobs.empty() || !waiting.empty()) // which others wait for, too
      waiting.push_back(&queue);
    else
      open(queue);
    return;
  }
}

//===--- Waiting -----------------------------------------------------------===//

void Pool::finish(Queue &queue) {
  std::unique_lock lock = acquire();
  if (isInterrupted()) [[unlikely]]
    return;
  const uint64_t target = queue.tail;
  auto done = [&] { return queue.completed.load(std::memory_order_acquire) >= target; };
  while (queue.head < target) {
    if (help(queue, lock))
      continue;
    const uint64_t head = queue.head;
    lock.unlock();
    // After a while, the next command may want help.
    auto moves = [&] { return queue.completed.load(std::memory_order_relaxed) != head; };
    const bool moved = spinUntil(waiterSpin, done, moves);
    if (done())
      return;
    lock = acquire();
    if (!moved)
      sleepUntil(queue, target, lock);
  }
}

void Pool::finishAll() {
  if (isInterrupted()) [[unlikely]]
    return;
  std::lock_guard lock(queuesMutex);
  for (Queue *queue : queues)
    finish(*queue);
}

void Pool::finish(CpuEventState &event, uint64_t generation) {
  auto reached = [&] { return event.reached.load(std::memory_order_acquire) >= generation; };
  if (isInterrupted() || spinUntil(waiterSpin, reached))
    return;
  std::unique_lock lock(mutex);
  ++eventWaiters;
  commandDone.wait(lock, reached);
  --eventWaiters;
}

} // namespace sextant::loader
