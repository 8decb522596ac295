// Launches: packs the arguments on the stack and queues the tasks. This file is built for speed,
// like Arguments.cpp. Only the first large launch of a thread allocates.
#include "loader/Launch.h"
#include "loader/Markers.h"
#include "loader/Schedule.h"

using namespace sextant;
using namespace sextant::loader;

void sextant::loader::bindHidden(const sxt_kernel &kernel, uint64_t temporary, std::byte *block) {
  for (const HiddenPlan &hidden : kernel.hidden) {
    uint64_t address = hidden.global ? hidden.global->address
                                     : hidden.address + (hidden.temporary ? temporary : 0);
    std::memcpy(block + hidden.offset, &address, sizeof address);
  }
}

void sextant::loader::noteLaunch(const sxt_kernel &kernel, sxt_stream &stream,
                                 const Packed &packed) {
  uint64_t widest = 0, grid = 0;
  for (size_t i = 0; i < kernel.tasks.size(); ++i)
    if (packed.grids[i] >= grid) {
      grid = packed.grids[i];
      widest = i;
    }
  stream.lastTask.store(widest << 32 | grid, std::memory_order_relaxed);
  stream.lastLaunch.store(kernel.ran, std::memory_order_release); // with what it points to
}

sxt_status sextant::loader::queueTasks(const sxt_kernel &kernel, sxt_stream &stream,
                                       const Packed &packed, std::byte *readBack,
                                       Outcome *outcome) {
  if (logs(SXT_LOG_DEBUG)) [[unlikely]]
    log(SXT_LOG_DEBUG, "launch %s: %s", kernel.record->instance.c_str(), kernel.target.c_str());
  MarkedRange range(kernel.ran->label.c_str());
  std::unique_lock<std::mutex> order;
  uint64_t temporary = 0; // read only if needed: another thread may be moving it
  if (kernel.tasks.size() > 1 || kernel.temporaryBytes || kernel.prints) {
    order = std::unique_lock(stream.order);
    SXT_TRY(stream.reserveTemporary(kernel.temporaryBytes));
    temporary = kernel.kept ? kernel.kept : stream.temporary;
  }
  bindHidden(kernel, temporary, packed.block);
  if (kernel.prints) [[unlikely]]
    SXT_TRY(preparePrints(kernel, stream, packed.block));
  if (kernel.faults) [[unlikely]]
    SXT_TRY(clearFaults(kernel, stream, temporary));
  if (kernel.scheduleWords) [[unlikely]]
    SXT_TRY(queueSchedule(kernel, stream, packed, temporary, outcome));
  else
    for (size_t i = 0; i < kernel.tasks.size(); ++i)
      if (packed.grids[i])
        SXT_TRY(stream.impl->launch(kernel.tasks[i].loaded, packed.grids[i], packed.block,
                                    kernel.blockBytes));
  noteLaunch(kernel, stream, packed);
  if (kernel.faults) [[unlikely]]
    SXT_TRY(reportFaults(kernel, stream, temporary));
  return readBack ? stream.impl->read(readBack, temporary, kernel.resultBytes) : SXT_OK;
}

sxt_status sextant::loader::launchKernel(sxt_kernel &kernel, sxt_stream *stream,
                                         const sxt_argument *arguments, size_t count,
                                         std::byte *readBack, sxt_stream **used, Outcome *outcome) {
  SXT_TRY(kernel.program->device->choose(stream, stream));
  Scratch<3072> memory(packedBytes(kernel), Keep::Launch);
  Packed packed = packedAt(kernel, memory.data());
  if (const sxt_status status = packLaunch(kernel, arguments, count, packed)) [[unlikely]] {
    sxt_kernel *large = nullptr;
    SXT_TRY(kernel.program->large(kernel, status, large));
    return launchKernel(*large, stream, arguments, count, readBack, used, outcome);
  }
  if (used)
    *used = stream;
  return queueTasks(kernel, *stream, packed, readBack, outcome);
}

sxt_status sxt_kernel_launch(sxt_kernel *kernel, sxt_stream *stream, const sxt_argument *arguments,
                             size_t count) {
  SXT_REQUIRE(kernel);
  return guardedInline(
      [&] { return launchKernel(*kernel, stream, arguments, count, nullptr, nullptr); });
}

sxt_status sxt_launch_enqueue(sxt_launch *launch, sxt_stream *stream) {
  SXT_REQUIRE(launch);
  return guardedInline([&] {
    SXT_TRY(launch->kernel->program->device->choose(stream, stream));
    return queueTasks(*launch->kernel, *stream, launch->packed, nullptr);
  });
}
