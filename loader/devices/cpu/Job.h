// A command that is open to threads: who is inside, and who runs which of its blocks. Nothing here
// takes a lock.
//
// Each thread of the pool has a place: a cache line of its own, which names the job that it is in.
// So threads enter and leave at the same time, and none waits for another one's turn. A thread that
// enters writes its place first, then looks whether the job is still open. One that leaves closes
// the job first, then looks at the places of all others. So either it sees who comes, or who comes
// sees that the job is closed.
//
// The grid lies in slices. A thread takes chunks of its own slice first, then of the others', so
// that in each launch of a kernel it finds the memory of the last one in its caches. Each slice has
// a cache line of its own: what was taken of it, and in which use of the job. So nobody has to
// reset it. Chunks of a slice are handed out in increasing order. They are small from when on a
// thread takes what is another one's: what is left may be the costly blocks. A launch whose blocks
// wait for each other has one slice.
#pragma once

#include "loader/devices/cpu/Command.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace sextant::loader {

struct Queue;

/// Blocks [begin, end).
struct Chunk {
  uint32_t begin = 0, end = 0;
};

/// Where a thread says which use of which job it is in, or 0.
struct alignas(64) ThreadPlace {
  std::atomic<uint64_t> inside{0};
};

class Job {
public:
  static constexpr uint32_t mostSlices = 64;

  Job(uint32_t index, std::span<ThreadPlace> places) : index(index), places(places) {}

  /// Opens the job. Nobody is inside, and one thread calls.
  void open(Queue &of, const Command &what, const Partition &how);
  /// Asks for the memory that who joins needs.
  void expect(uint32_t place) const;
  /// Enters, unless the job is closed, or full and the thread is not called. Who has entered
  /// leaves.
  bool join(uint32_t place, bool isCalled = false);
  /// Returns false if the job was closed while the thread entered. Otherwise what open() wrote may
  /// be read until leave().
  bool admits(uint32_t place) const { return opened.load() == places[place].inside.load(); }
  /// Leaves, and shuts the job: no blocks are left. Returns true for the last thread.
  bool leave(uint32_t place);
  /// Lets nobody else in.
  void shut(uint32_t place) {
    uint64_t tag = places[place].inside.load(std::memory_order_relaxed);
    opened.compare_exchange_strong(tag, 0);
  }
  /// Returns true if another thread is inside that stays until all have left: the last place's.
  bool isAwaited(uint32_t place) const {
    return place + 1 < places.size() &&
           places.back().inside.load() == places[place].inside.load(std::memory_order_relaxed);
  }
  /// From inside: returns true if all others have left the job, which is shut.
  bool isAlone(uint32_t place) const { return othersIn(places[place].inside.load(), place) == 0; }
  /// Returns true if the job is open and nobody has come yet, or just now.
  bool isUnclaimed() const {
    const uint64_t tag = opened.load();
    return tag != 0 && othersIn(tag, UINT32_MAX) == 0;
  }
  uint32_t hands() const { return seats.load(std::memory_order_relaxed); }
  /// Admits so many threads. Called from inside.
  void admit(uint32_t threads) { seats.store(threads, std::memory_order_relaxed); }
  /// Takes a chunk of at most so many blocks, but not fewer than the partition says. A thread that
  /// begins a slice owns it, and takes all that is left in the end. Returns false if the slice has
  /// no more, or too little for others than its owner.
  bool take(uint32_t slice, uint64_t atMost, bool &isOwn, Chunk &part);
  uint32_t endOf(uint32_t slice) const { return bound(slice + 1); }

  // The fields that open() writes: one cache line for all who join, and those of a small argument
  // block.
  alignas(64) CpuTask task = nullptr; ///< null: the command is a copy or a fill
  const void *arguments = nullptr;
  const Command *command = nullptr;
  uint32_t grid = 1;
  uint32_t use = 0; ///< counts calls of open()
  uint32_t slices = 1, chunk = 1, fine = 1, most = 1;
  /// Workers with an index below are worth waking.
  std::atomic<uint32_t> woken{0};
  bool isBrief = false, isMeasured = false;
  std::atomic<bool> isShared{false}; ///< a thread has taken what is another one's
  alignas(64) std::byte block[128];

  alignas(64) Queue *queue = nullptr;
  const uint32_t index;             ///< among the pool's jobs
  std::atomic<uint32_t> visited{0}; ///< workers that were woken or found awake

private:
  uint32_t othersIn(uint64_t tag, uint32_t place) const;
  uint32_t bound(uint32_t slice) const {
    return static_cast<uint32_t>(uint64_t(grid) * slice / slices);
  }

  struct alignas(64) Slice {
    std::atomic<uint64_t> taken{0}; ///< the use, and how many blocks were taken in it
  };

  /// The use and the job's index while it is open, and until it is closed.
  alignas(64) std::atomic<uint64_t> opened{0};
  std::atomic<uint64_t> unclosed{0};
  std::atomic<uint32_t> seats{0};
  alignas(64) std::unique_ptr<Slice[]> words = std::make_unique<Slice[]>(mostSlices);
  const std::span<ThreadPlace> places;
};

/// Nanoseconds from which on a thread's chunks no longer grow.
constexpr double longChunk = 100e3;

/// The way of a thread through the slices of a job.
class SliceWalk {
public:
  /// A worker with a slice of its own begins with it. All others begin with the last slice, to
  /// which no worker is called.
  SliceWalk(Job &job, uint32_t place)
      : job(job), place(place), home(std::min(place, job.slices - 1)), most(job.most) {}

  /// Takes a chunk. Returns false if there are none for this thread any more.
  bool next(Chunk &chunk);
  /// The last chunk took so many nanoseconds, which has the next ones be larger or smaller.
  void took(double nanoseconds);
  uint32_t slice() const { return (home + step) % job.slices; }

private:
  Job &job;
  const uint32_t place, home;
  uint32_t step = 0;
  uint64_t most, last = 0; ///< blocks
  bool isOwn = true;
};

} // namespace sextant::loader
