// How workers sleep and are woken, and what runs work without them. Launches in a row do not come
// here, so this is built for size.
//
// A thread that opens a job advertises it, so that a worker comes: one that spins, or one that it
// wakes. That worker wakes two more if the job is worth it: a tree, not a queue. No wake-up is
// lost: a worker first says that it sleeps, then looks for unclaimed jobs for the last time. A
// thread that opens a job looks for sleepers afterwards.
#include "loader/devices/cpu/Pool.h"
#include "loader/devices/cpu/Rounding.h"
#include "loader/devices/cpu/Spin.h"

#include <algorithm>

namespace sextant::loader {

/// Returns how many open jobs no thread has joined.
unsigned Pool::countUnclaimed() const {
  if (const uint64_t post = posted.load(); others.load() == 0)
    return post != 0 && jobs[post & 0xffff]->isUnclaimed() ? 1 : 0;
  const uint32_t count = jobCount.load();
  unsigned unclaimed = 0;
  for (uint32_t i = 0; i < count; ++i)
    unclaimed += jobs[i]->isUnclaimed() ? 1 : 0;
  return unclaimed;
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

/// Without workers, the thread that submits work runs what is open.
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
    if (job->leave(0)) {
      lock.lock();
      close(*job);
    }
  }
}

} // namespace sextant::loader
