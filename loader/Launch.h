// A launch between its steps: arguments packed into a block, grids computed, tasks
// queued. Launches, prepared launches and graphs are made of these.
#pragma once

#include "loader/Program.h"
#include "loader/ThreadMemory.h"

namespace sextant::loader {

/// What a launch passes to its tasks. Points to memory of the launch's own.
struct Packed {
  std::byte *block = nullptr; ///< sxt_kernel::blockBytes
  int64_t *values = nullptr;  ///< of each parameter, for launch expressions
  uint32_t *grids = nullptr;  ///< of each task; 0: it does not run
};

/// The memory that `packedAt` divides; a multiple of 16.
inline size_t packedBytes(const sxt_kernel &kernel) {
  return (kernel.blockBytes + 15) / 16 * 16 + kernel.params.size() * sizeof(int64_t) +
         (kernel.tasks.size() * sizeof(uint32_t) + 15) / 8 * 8;
}
inline Packed packedAt(const sxt_kernel &kernel, std::byte *memory) {
  auto *values = reinterpret_cast<int64_t *>(memory + (kernel.blockBytes + 15) / 16 * 16);
  return {memory, values, reinterpret_cast<uint32_t *>(values + kernel.params.size())};
}

/// Memory on the stack, or where that does not do, what the thread keeps for its next large
/// launch: launches do not allocate again and again.
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

/// Whether the struct is one that this loader reads.
sxt_status checkStructSize(const sxt_argument &given);
/// One argument, whose struct_size is checked, checked and packed.
sxt_status packArgument(const sxt_kernel &kernel, size_t index, const sxt_argument &given,
                        const Packed &packed);
/// All of them, then the grids.
sxt_status packLaunch(const sxt_kernel &kernel, const sxt_argument *arguments, size_t count,
                      const Packed &packed);
/// All grids: a launch is refused as a whole.
sxt_status computeGrids(const sxt_kernel &kernel, const Packed &packed);

/// Writes the addresses of the hidden buffers into a block; `temporary` is where those of
/// the launch lie.
void bindHidden(const sxt_kernel &kernel, uint64_t temporary, std::byte *block);
/// Queues the tasks; `readBack`, if not null, gets the results' bytes in the end.
sxt_status queueTasks(const sxt_kernel &kernel, sxt_stream &stream, const Packed &packed,
                      std::byte *readBack);
/// Packs and queues. `used`, if not null, becomes the stream once everything is packed.
sxt_status launchKernel(const sxt_kernel &kernel, sxt_stream *stream, const sxt_argument *arguments,
                        size_t count, std::byte *readBack, sxt_stream **used);
/// What sxt_stream_last_launch tells from now on.
void noteLaunch(const sxt_kernel &kernel, sxt_stream &stream, const Packed &packed);

} // namespace sextant::loader

/// A launch that is ready but for its stream.
struct sxt_launch {
  sxt_kernel *kernel = nullptr;
  sextant::loader::Packed packed; ///< what the next enqueue passes
  sextant::loader::Packed spare;  ///< where an argument is changed: what fails changes nothing

  explicit sxt_launch(sxt_kernel &kernel);
  sxt_status set(size_t index, const sxt_argument &argument);

private:
  size_t bytes; ///< of each of the two
  std::unique_ptr<std::byte[]> memory;
};
