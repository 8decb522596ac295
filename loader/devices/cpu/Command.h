// An entry of a queue of the CPU: a launch, a copy, a fill, or what an event asks for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

namespace sextant::loader {

/// One image is for all systems: its functions have the calling convention of System V (on Arm:
/// AAPCS64, which all systems share).
#if defined(__x86_64__)
#define SEXTANT_TASK_ABI __attribute__((sysv_abi))
#else
#define SEXTANT_TASK_ABI
#endif
/// A task of a CPU image. It runs the blocks [blockBegin, blockEnd) in increasing order.
using CpuTask = void(SEXTANT_TASK_ABI *)(const void *args, void *shared, uint32_t blockBegin,
                                         uint32_t blockEnd, uint32_t gridDim);

struct CpuEventState;

/// How threads share a command. The default suits commands of one part.
struct Partition {
  uint32_t hands = 1;      ///< the most threads that shall work at it
  uint32_t woken = 1;      ///< how many of them are worth waking
  uint32_t slices = 1;     ///< at most Job::mostSlices
  uint32_t chunk = 1;      ///< blocks that a thread takes at least
  uint32_t fine = 1;       ///< the same where others take from its slice
  uint32_t most = 1;       ///< and at most, at first
  float nanoseconds = 0;   ///< that it takes one thread, or 0
  bool isBrief = false;    ///< who waits for it can do what others do not come to
  bool isMeasured = false; ///< chunks may grow, and the pool learns what a block takes

  /// Leaves the command to fewer threads.
  void shareAmong(uint32_t fewer) {
    const uint32_t before = slices;
    hands = std::min(hands, std::max(fewer, 1u));
    slices = std::min(slices, hands);
    most = static_cast<uint32_t>(uint64_t(most) * before / slices);
  }
};

/// One entry of a queue.
struct Command {
  enum Kind : uint8_t { Launch, Copy, Fill, Record, Wait } kind = Launch;
  uint8_t patternBytes = 1;
  uint32_t pattern = 0;
  uint32_t grid = 1;
  Partition partition;
  CpuTask task = nullptr;
  void *destination = nullptr; ///< Copy, Fill
  const void *source = nullptr;
  uint64_t bytes = 0;
  std::shared_ptr<CpuEventState> event; ///< Record, Wait
  uint64_t generation = 0;
  alignas(64) std::byte block[320];
  const void *arguments = block;
  size_t argumentBytes = 0;
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
    argumentBytes = bytes;
  }
};

} // namespace sextant::loader
