// The steps of a launch: pack the arguments into a block, compute the grids, queue the tasks.
// Launches, prepared launches and graphs are made of these.
#pragma once

#include "loader/Program.h"
#include "loader/ThreadMemory.h"

#include <algorithm>

namespace sextant::loader {

/// The arguments that a launch passes to its tasks, in memory of the launch's own.
struct Packed {
  std::byte *block = nullptr; ///< sxt_kernel::blockBytes
  int64_t *values = nullptr;  ///< value of each parameter, for launch expressions
  uint32_t *grids = nullptr;  ///< grid of each task; 0: it does not run
};

/// The size of the memory that `packedAt` divides, a multiple of 16.
inline size_t packedBytes(const sxt_kernel &kernel) {
  return (kernel.blockBytes + 15) / 16 * 16 + kernel.params.size() * sizeof(int64_t) +
         (kernel.tasks.size() * sizeof(uint32_t) + 15) / 8 * 8;
}
inline Packed packedAt(const sxt_kernel &kernel, std::byte *memory) {
  auto *values = reinterpret_cast<int64_t *>(memory + (kernel.blockBytes + 15) / 16 * 16);
  return {memory, values, reinterpret_cast<uint32_t *>(values + kernel.params.size())};
}

/// Memory on the stack. If that is too small, memory that the thread keeps for its next large
/// launch, so that launches do not allocate again and again.
template <size_t Count> class Scratch {
public:
  Scratch(size_t size, Keep what) {
    if (size > Count) [[unlikely]]
      large = threadMemory(what, size);
  }
  std::byte *data() { return large ? large : small; }

private:
  alignas(16) std::byte small[Count]; // left as it is: launches should be quick
  std::byte *large = nullptr;
};

/// Checks that this loader can read a struct of that size.
sxt_status checkStructSize(const sxt_argument &given);
/// Checks and packs one argument, whose struct_size is checked already.
sxt_status packArgument(const sxt_kernel &kernel, size_t index, const sxt_argument &given,
                        const Packed &packed);
/// Checks and packs all arguments, then computes the grids. Returns needsLarge if it is
/// a launch for the kernel's variant for large arrays (sxt_program::large).
sxt_status packLaunch(const sxt_kernel &kernel, const sxt_argument *arguments, size_t count,
                      const Packed &packed);
/// Tests what no argument tells by itself, and computes all grids, before any task is queued: a
/// launch is refused as a whole. Then computes the hidden values that follow from the arguments.
sxt_status computeGrids(const sxt_kernel &kernel, const Packed &packed);

/// Writes the addresses of the hidden buffers into a block. `temporary` is the address of the
/// launch's temporary memory.
void bindHidden(const sxt_kernel &kernel, uint64_t temporary, std::byte *block);
/// A task of a launch, as a step of a graph.
inline GraphStep launchStep(const sxt_kernel &kernel, const Packed &packed, size_t task) {
  GraphStep step;
  step.task = kernel.tasks[task].loaded;
  step.grid = packed.grids[task];
  step.block = packed.block;
  step.blockBytes = kernel.blockBytes;
  return step;
}
/// Returns true if both launches run the same tasks.
inline bool sameTasks(const sxt_kernel &kernel, const Packed &a, const Packed &b) {
  return std::equal(a.grids, a.grids + kernel.tasks.size(), b.grids,
                    [](uint32_t x, uint32_t y) { return (x == 0) == (y == 0); });
}

struct Outcome; // loader/Schedule.h

/// Queues the tasks. If `readBack` is not null, the results' bytes are read into it at the end.
sxt_status queueTasks(const sxt_kernel &kernel, sxt_stream &stream, const Packed &packed,
                      std::byte *readBack, Outcome *outcome = nullptr);
/// Packs and queues, by the variant for large arrays if it is needed. If `used` is not null, it
/// becomes the stream once everything is packed.
sxt_status launchKernel(sxt_kernel &kernel, sxt_stream *stream, const sxt_argument *arguments,
                        size_t count, std::byte *readBack, sxt_stream **used,
                        Outcome *outcome = nullptr);
/// Stores the launch that sxt_stream_last_launch describes from now on.
void noteLaunch(const sxt_kernel &kernel, sxt_stream &stream, const Packed &packed);

} // namespace sextant::loader

/// A prepared launch.
struct sxt_launch {
  sxt_kernel *kernel = nullptr;   ///< maybe the variant for large arrays
  sextant::loader::Packed packed; ///< the arguments of the next enqueue
  sextant::loader::Packed spare;  ///< arguments are changed here, so that a failure changes nothing

  explicit sxt_launch(sxt_kernel &kernel);
  sxt_status set(size_t index, const sxt_argument &argument);

private:
  void take(const sxt_launch &other);

  size_t bytes; ///< size of each of the two
  std::unique_ptr<std::byte[]> memory;
};
