// The workers: how they find work, and how they wait for it; and the waiting thread that helps.
//
// A thread that opens a job advertises it, so that a worker comes: one that spins, or one that it
// wakes. That worker wakes two more if the job is worth it: a tree, not a queue. No wake-up is
// lost: a worker first says that it sleeps, then looks for unclaimed jobs for the last time. A
// thread that opens a job looks for sleepers afterwards.
//
// A worker spins for a short time after it has worked or was woken, and for longer if it has earned
// it by work: launches in a row then cost no system calls, and rare ones little power. After the
// short time it lets others have the processor between its looks.
#include "loader/abi/Stack.h"
#include "loader/devices/cpu/Pool.h"
#include "loader/devices/cpu/Rounding.h"
#include "loader/devices/cpu/Spin.h"

#include <algorithm>
#include <cfenv>
#include <thread>

namespace sextant::loader {
namespace {

uint32_t jobOf(uint64_t post) { return post & 0xffff; }
uint32_t calledBy(uint64_t post) { return post >> 16 & 0xffff; }

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

//===--- Work --------------------------------------------------------------===//

void Pool::work(Worker &self) {
  system::nameThread("sextant-cpu");
  std::fesetenv(FE_DFL_ENV); // kernels run under the default rounding, whoever opened the device
  self.idleSince = Clock::now();
  for (bool any = true;;) {
    // First, so that who opens another job does not count on this worker.
    self.state.store(Worker::Busy);
    const uint64_t seen = posted.load();
    Job *job = find(self, seen, any);
    if (job) {
      const Clock::time_point begin = Clock::now();
      serve(*job, self.index, self.scratch.load(std::memory_order_acquire), begin);
      any = job->leave();
      if (any) {
        std::unique_lock lock = acquire();
        close(*job);
        lock.unlock();
        advertiseWork(1); // the worker itself comes to one that was opened
      }
      const Clock::time_point end = Clock::now();
      const Clock::duration spun = begin - self.idleSince;
      const auto earned = std::chrono::duration_cast<Clock::duration>(spinShare * (end - begin));
      self.credit = std::clamp(self.credit - spun + earned, Clock::duration(0), longSpin);
      self.idleSince = end;
    } else if (stopRequested.load()) {
      return;
    } else {
      any = idle(self, seen, any);
    }
  }
}

/// Joins a job: the newest, if the worker is called or may take `any`; or any, if there are others.
Job *Pool::find(Worker &self, uint64_t post, bool any) {
  if (others.load() == 0) {
    if (post == 0 || (!any && self.index >= calledBy(post)))
      return nullptr;
    self.lastJob = jobOf(post);
    Job &job = *jobs[self.lastJob];
    if (!any)
      job.expect();
    return job.join() ? &job : nullptr;
  }
  // In turn, so that no queue has to wait for long.
  const uint32_t count = jobCount.load();
  for (uint32_t i = 1; i <= count; ++i) {
    const uint32_t at = (self.lastJob + i) % count;
    if (!jobs[at]->join())
      continue;
    self.lastJob = at;
    return jobs[at].get();
  }
  return nullptr;
}

/// Works at a job that the thread has joined.
void Pool::serve(Job &job, uint32_t home, void *scratch, Clock::time_point begin) {
  if (sleepers.load() != 0) {
    wakeWorkers(job);
    if (others.load() != 0) // whoever opened one of them may have counted on this thread
      advertiseWork(0);
  }
  if (job.task) {
    runChunks(job, home, scratch, begin);
    return;
  }
  bool isOwn = true;
  if (Chunk all; !job.take(0, 1, isOwn, all))
    return; // another thread has it
  const Command &command = *job.command;
  if (command.kind == Command::Copy)
    std::memcpy(command.destination, command.source, command.bytes);
  else
    fillMemory(command.destination, command.pattern, command.patternBytes, command.bytes);
}

/// Returns how many open jobs no thread has joined.
unsigned Pool::countUnclaimed() const {
  if (const uint64_t post = posted.load(); others.load() == 0)
    return post != 0 && jobs[jobOf(post)]->isUnclaimed() ? 1 : 0;
  const uint32_t count = jobCount.load();
  unsigned unclaimed = 0;
  for (uint32_t i = 0; i < count; ++i)
    unclaimed += jobs[i]->isUnclaimed() ? 1 : 0;
  return unclaimed;
}

/// There is no worker: the thread that submits work runs what is open.
void Pool::runInCaller() {
  const DefaultRounding rounding;
  Worker &place = *workers.front();
  for (;;) {
    std::unique_lock lock = acquire();
    Job *job = find(place, posted.load(), true);
    if (!job) {
      callerRuns = false; // under the mutex: others run the jobs that are opened from now on
      return;
    }
    lock.unlock();
    serve(*job, 0, place.scratch.load(std::memory_order_acquire), Clock::now());
    if (job->leave()) {
      lock.lock();
      close(*job);
    }
  }
}

//===--- Spinning, sleeping, waking ----------------------------------------===//

/// Waits until there may be work. `seen` is the last post that the worker has looked at: as one
/// that may take `any` job, or as one that is not called. Returns whether it may take any next
/// time, because those who were called have had the time to come.
bool Pool::idle(Worker &self, uint64_t seen, bool any) {
  self.state.store(Worker::Spinning);
  const Clock::time_point end = self.idleSince + std::max(self.credit, shortSpin);
  const Clock::time_point polite = self.idleSince + shortSpin;
  uint64_t passed = any ? 0 : seen; // a post to which others were called
  for (Clock::time_point now = Clock::now(); now < end; now = Clock::now()) {
    for (int i = 0; i < pausesOfRound; ++i) {
      const uint64_t post = posted.load(std::memory_order_acquire);
      if (post != seen && self.index < calledBy(post))
        return false;
      pauseBriefly();
    }
    const uint64_t post = posted.load(std::memory_order_acquire);
    if (post != seen || !any) {
      if (post == passed)
        return true;
      passed = post;
    }
    if (stopRequested.load())
      return true;
    if (now > polite)
      std::this_thread::yield();
  }
  sleep(self);
  return true;
}

/// Sleeps until the worker is woken, unless a job is unclaimed.
void Pool::sleep(Worker &self) {
  sleepers.fetch_add(1);
  self.state.store(Worker::Asleep);
  if (stopRequested.load() || countUnclaimed() != 0) {
    wake(self);
    return;
  }
  system::sleepWhile(self.state, Worker::Asleep);
  self.credit = Clock::duration(0);
  self.idleSince = Clock::now();
}

/// Returns false if the worker does not sleep.
bool Pool::wake(Worker &worker) {
  uint32_t asleep = Worker::Asleep;
  if (worker.state.load() != asleep ||
      !worker.state.compare_exchange_strong(asleep, Worker::Spinning))
    return false;
  sleepers.fetch_sub(1);
  system::wakeOne(worker.state);
  return true;
}

/// Wakes two workers for a job, if they are worth it.
void Pool::wakeWorkers(Job &job) {
  for (int more = 2; more > 0;) {
    const uint32_t wanted = std::min(job.woken.load(std::memory_order_relaxed), threadCount());
    if (wanted <= 1 || job.visited.load(std::memory_order_relaxed) >= wanted)
      return;
    const uint32_t next = job.visited.fetch_add(1, std::memory_order_relaxed);
    if (next < wanted && wake(*workers[next]))
      --more;
  }
}

/// Makes sure that a worker comes to each open job. So many are `coming` already.
void Pool::advertiseWork(unsigned coming) {
  const uint32_t asleep = sleepers.load();
  // If only the newest job is open, an awake worker checks it before it sleeps, so nobody needs
  // waking.
  if (asleep == 0 || (asleep < threadCount() && others.load() == 0))
    return;
  unsigned unclaimed = countUnclaimed();
  for (const auto &worker : workers) {
    if (unclaimed <= coming)
      return;
    if (worker->state.load() == Worker::Spinning)
      ++coming;
  }
  for (const auto &worker : workers)
    if (unclaimed > coming && wake(*worker))
      ++coming;
}

//===--- Waiting threads ---------------------------------------------------===//

/// Works at the queue's front command. Returns false if the thread cannot.
bool Pool::help(Queue &queue, std::unique_lock<std::mutex> &lock) {
  Job *job = queue.job;
  if (!job || guest || threadless || !isForGuests(queue.front()) ||
      !system::hasStack(abi::taskStack) || !job->join())
    return false;
  guest = true;
  lock.unlock();
  {
    const DefaultRounding rounding;
    // The last slice is the one to which no worker is called.
    serve(*job, job->slices - 1, guestScratch.load(std::memory_order_acquire), Clock::now());
  }
  job->shut();
  spinUntil(waiterSpin, [&] { return job->isAlone(); });
  const bool isLast = job->leave();
  lock = acquire();
  if (isLast) {
    close(*job);
    advertiseWork(0);
  }
  guest = false;
  return true;
}

} // namespace sextant::loader
