// Kernels whose tasks run again, or not at all, as the device decides: those with loops on the
// device, and those with checkpoints.
#pragma once

#include "loader/Launch.h"

namespace sextant::loader {

/// Where a launch of a kernel with checkpoints begins and ends.
struct Outcome {
  const int64_t *from = nullptr; ///< the checkpoint to begin with; null: the kernel's begin
  bool yielded = false;
  int64_t checkpoint = 0; ///< the one after which it ended, if it did
};

/// Queues the tasks of a kernel with a schedule, under the stream's `order`. Waits for loops, and
/// for kernels with checkpoints, which need an outcome.
sxt_status queueSchedule(const sxt_kernel &kernel, sxt_stream &stream, const Packed &packed,
                         uint64_t temporary, Outcome *outcome);
/// The error for kernels with checkpoints where nobody asks how the launch ends.
sxt_status failOutcome(const sxt_kernel &kernel);
/// The error for a label that the kernel lacks.
sxt_status failCheckpoint(const sxt_kernel &kernel, int64_t label);

} // namespace sextant::loader
