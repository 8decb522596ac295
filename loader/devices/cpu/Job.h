// A command that is open to threads: who may work at it, and who runs which of its blocks. Nothing
// here takes a lock.
//
// The grid lies in slices. A thread takes chunks of its own slice first, then of the others', so
// that in each launch of a kernel it finds the memory of the last one in its caches. Each slice has
// a cache line of its own: what was taken of it, and in which use of the job. So nobody has to
// reset it. Chunks of a slice are handed out in increasing order. A launch whose blocks wait for
// each other has one slice.
#pragma once

#include "loader/devices/cpu/Command.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace sextant::loader {

struct Queue;

/// Blocks [begin, end).
struct Chunk {
  uint32_t begin = 0, end = 0;
};

class Job {
public:
  static constexpr uint32_t mostSlices = 64;

  explicit Job(uint32_t index) : index(index) {}

  /// Opens the job. Nobody is inside, and one thread calls.
  void open(Queue &of, const Command &what, const Partition &how);
  /// Asks for the memory that who joins needs.
  void expect() const;
  /// Enters, unless the job is closed or full. What open() wrote may be read until leave().
  bool join();
  /// Leaves, and closes the job: no blocks are left. Returns true for the last thread.
  bool leave();
  /// Closes the job from inside.
  void shut() { gate.fetch_and(~isOpen, std::memory_order_relaxed); }
  /// From inside: returns true if all others have left the job, which is shut.
  bool isAlone() const { return usersIn(gate.load(std::memory_order_relaxed)) == 1; }
  /// Returns true if the job is open and nobody has come yet, or just now.
  bool isUnclaimed() const {
    const uint64_t state = gate.load();
    return (state & isOpen) != 0 && usersIn(state) == 0;
  }
  /// Takes a chunk of at most so many blocks, but not fewer than the partition says. A thread that
  /// begins a slice owns it, and takes all that is left in the end. Returns false if the slice has
  /// no more, or too little for others than its owner.
  bool take(uint32_t slice, uint64_t atMost, bool &isOwn, Chunk &part);
  uint32_t endOf(uint32_t slice) const { return bound(slice + 1); }

  uint32_t hands() const { return seatsIn(gate.load(std::memory_order_relaxed)); }
  /// Admits more threads. Called from inside.
  void admit(uint32_t more) { gate.fetch_add(uint64_t(more) * seat, std::memory_order_relaxed); }

  // The fields that open() writes: one cache line for all who join, and those of a small argument
  // block.
  alignas(64) CpuTask task = nullptr; ///< null: the command is a copy or a fill
  const void *arguments = nullptr;
  const Command *command = nullptr;
  uint32_t grid = 1;
  uint32_t use = 0; ///< counts calls of open()
  uint32_t slices = 1, chunk = 1, most = 1;
  /// Workers with an index below are worth waking.
  std::atomic<uint32_t> woken{0};
  bool isMeasured = false;
  alignas(64) std::byte block[128];

  alignas(64) Queue *queue = nullptr;
  const uint32_t index;             ///< among the pool's jobs
  std::atomic<uint32_t> visited{0}; ///< workers that were woken or found awake

private:
  // The gate's parts: threads inside, seats, and whether the job is open.
  static constexpr uint64_t seat = uint64_t(1) << 16, isOpen = uint64_t(1) << 32;
  static uint32_t usersIn(uint64_t state) { return state & 0xffff; }
  static uint32_t seatsIn(uint64_t state) { return state >> 16 & 0xffff; }
  uint32_t bound(uint32_t slice) const {
    return static_cast<uint32_t>(uint64_t(grid) * slice / slices);
  }

  struct alignas(64) Slice {
    std::atomic<uint64_t> taken{0}; ///< the use, and how many blocks were taken in it
  };

  alignas(64) std::atomic<uint64_t> gate{0};
  std::unique_ptr<Slice[]> words = std::make_unique<Slice[]>(mostSlices);
};

} // namespace sextant::loader
