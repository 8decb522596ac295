// The workers: how they find work, and how they wait for it; and the waiting thread that helps.
//
// A worker spins for a short time after it has worked or was woken, and for longer if it has earned
// it by work: launches in a row then cost no system calls, and rare ones little power. After the
// short time it lets others have the processor between its looks. Then it sleeps (Sleep.cpp).
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
    bool hasWorked = false;
    if (job) {
      const Clock::time_point begin = Clock::now();
      hasWorked = serve(*job, self.index, self.scratch.load(std::memory_order_acquire), begin);
      any = job->leave(self.index);
      if (any) {
        std::unique_lock lock = acquire();
        close(*job);
        lock.unlock();
        advertiseWork(1); // the worker itself comes to one that was opened
      }
      const Clock::time_point end = Clock::now();
      if (hasWorked) {
        const Clock::duration spun = begin - self.idleSince;
        const auto work = std::max<Clock::duration>(end - begin, leastWork);
        const auto earned = std::chrono::duration_cast<Clock::duration>(spinShare * work);
        self.credit = std::clamp(self.credit - spun + earned, Clock::duration(0), longSpin);
      }
      self.idleSince = end; // who came too late is there for the next of a row of launches
      if (hasWorked || any)
        continue;
      any = true; // it has seen that nothing is left
    }
    if (stopRequested.load())
      return;
    any = idle(self, seen, any);
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
      job.expect(self.index);
    return job.join(self.index, !any) ? &job : nullptr;
  }
  // In turn, so that no queue has to wait for long.
  const uint32_t count = jobCount.load();
  for (uint32_t i = 1; i <= count; ++i) {
    const uint32_t at = (self.lastJob + i) % count;
    if (!jobs[at]->join(self.index))
      continue;
    self.lastJob = at;
    return jobs[at].get();
  }
  return nullptr;
}

/// Works at a job that the thread has joined. Returns false if there was nothing to do.
bool Pool::serve(Job &job, uint32_t place, void *scratch, Clock::time_point begin) {
  if (!job.admits(place))
    return false;
  if (sleepers.load() != 0) {
    wakeWorkers(job);
    if (others.load() != 0) // whoever opened one of them may have counted on this thread
      advertiseWork(0);
  }
  if (job.task)
    return runChunks(job, place, scratch, begin);
  bool isOwn = true;
  if (Chunk all; !job.take(0, 1, isOwn, all))
    return false; // another thread has it
  const Command &command = *job.command;
  if (command.kind == Command::Copy)
    std::memcpy(command.destination, command.source, command.bytes);
  else
    fillMemory(command.destination, command.pattern, command.patternBytes, command.bytes);
  return true;
}

//===--- Spinning ----------------------------------------------------------===//

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

//===--- Waiting threads ---------------------------------------------------===//

/// Works at the queue's front command. Returns false if the thread cannot.
bool Pool::help(Queue &queue, std::unique_lock<std::mutex> &lock) {
  Job *job = queue.job;
  if (!job || guest || threadless || !isForGuests(queue.front()) ||
      !system::hasStack(abi::taskStack) || !job->join(guestPlace()))
    return false;
  guest = true;
  lock.unlock();
  {
    const DefaultRounding rounding;
    serve(*job, guestPlace(), guestScratch.load(std::memory_order_acquire), Clock::now());
  }
  job->shut(guestPlace());
  spinUntil(waiterSpin, [&] { return job->isAlone(guestPlace()); });
  const bool isLast = job->leave(guestPlace());
  lock = acquire();
  if (isLast) {
    close(*job);
    advertiseWork(0);
  }
  guest = false;
  return true;
}

} // namespace sextant::loader
