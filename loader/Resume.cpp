// Launches that say how they ended, and begin where an earlier one did.
#include "loader/Schedule.h"

using namespace sextant;
using namespace sextant::loader;

sxt_status sxt_kernel_resume(sxt_kernel *kernel, sxt_stream *stream, const sxt_argument *arguments,
                             size_t count, const int64_t *checkpoint, sxt_graph_status *status) {
  SXT_REQUIRE(kernel);
  SXT_REQUIRE(status);
  return guarded([&] {
    Outcome outcome;
    outcome.from = checkpoint;
    if (checkpoint && !kernel->scheduleWords)
      return failCheckpoint(*kernel, *checkpoint);
    SXT_TRY(launchKernel(*kernel, stream, arguments, count, nullptr, &stream, &outcome));
    if (!kernel->kept) // without checkpoints, nothing above waits for all tasks
      SXT_TRY(stream->finish());
    sxt_graph_status filled{};
    filled.yielded = outcome.yielded;
    filled.checkpoint = outcome.checkpoint;
    return giveInfo(status, filled);
  });
}
