// Graphs: steps that are recorded once and queued as a whole. If the device has graphs, it runs
// them as one; otherwise the loader queues each step.
#include "loader/Launch.h"
#include "loader/Markers.h"

#include <algorithm>

using namespace sextant;
using namespace sextant::loader;

namespace {

struct Step {
  std::unique_ptr<sxt_launch> launch; ///< null: a copy or fill
  GraphStep transfer;                 ///< the copy or fill
  size_t first = 0;                   ///< number of the first of the device's steps
  bool changed = false;               ///< since the device was told
};

} // namespace

struct sxt_graph {
  std::shared_ptr<DeviceState> device;
  std::vector<Step> steps;
  bool stepwise = false;                      ///< there is no device's graph to make of it
  bool changed = false;                       ///< some step is
  uint64_t temporary = 0, temporaryBytes = 0; ///< the temporary memory of the device's graph
  uint64_t bindings = 0;                      ///< DeviceState::bindings that the steps know
  std::unique_ptr<DeviceGraph> native;        ///< goes before the device and the memory

  ~sxt_graph() {
    dismantle();
    keepTemporary(0, 0);
  }
  /// Makes sure that the next run makes the device's graph anew.
  void dismantle() {
    native.reset();
    stepwise = false;
  }
  /// Replaces the temporary memory, which nothing uses any more.
  void keepTemporary(uint64_t address, uint64_t bytes) {
    if (temporary)
      device->release(temporary);
    temporary = address;
    temporaryBytes = bytes;
  }
  sxt_status add(Step step) {
    steps.push_back(std::move(step));
    dismantle();
    return SXT_OK;
  }
  sxt_status make();
  sxt_status enqueue(sxt_stream &stream);

private:
  sxt_status applyChanges();
};

namespace {

/// Calls `take` with a device's step for each task of a launch that has blocks to run.
template <class Take> void eachTask(const sxt_launch &launch, Take take) {
  const sxt_kernel &kernel = *launch.kernel;
  for (size_t i = 0; i < kernel.tasks.size(); ++i)
    if (launch.packed.grids[i])
      take(launchStep(kernel, launch.packed, i));
}

} // namespace

/// Makes the device's graph, unless it exists or cannot be made.
sxt_status sxt_graph::make() {
  if (native || stepwise || steps.empty())
    return SXT_OK;
  uint64_t bytes = 0;
  for (const Step &step : steps)
    if (step.launch) {
      bytes = std::max(bytes, step.launch->kernel->temporaryBytes);
      if (step.launch->kernel->faults || step.launch->kernel->prints ||
          step.launch->kernel->scheduleWords)
        stepwise = true;
    }
  if (stepwise)
    return SXT_OK;
  if (bytes > temporaryBytes) {
    uint64_t address = 0;
    SXT_TRY(device->device->allocate(bytes, address));
    keepTemporary(address, bytes);
  }
  std::vector<GraphStep> list;
  for (Step &step : steps) {
    step.first = list.size();
    step.changed = false;
    if (!step.launch) {
      list.push_back(step.transfer);
      continue;
    }
    bindHidden(*step.launch->kernel, temporary, step.launch->packed.block);
    eachTask(*step.launch, [&](const GraphStep &task) { list.push_back(task); });
  }
  changed = false;
  if (!list.empty())
    SXT_TRY(device->device->makeGraph(list, native));
  stepwise = !native;
  if (stepwise) // streams have their own
    keepTemporary(0, 0);
  return SXT_OK;
}

sxt_status sxt_graph::applyChanges() {
  for (Step &step : steps) {
    if (!step.changed)
      continue;
    bindHidden(*step.launch->kernel, temporary, step.launch->packed.block);
    sxt_status status = SXT_OK;
    size_t index = step.first;
    eachTask(*step.launch, [&](const GraphStep &task) {
      if (status == SXT_OK)
        status = native->change(index++, task);
    });
    SXT_TRY(status);
    step.changed = false;
  }
  changed = false;
  return SXT_OK;
}

sxt_status sxt_graph::enqueue(sxt_stream &stream) {
  SXT_TRY(make());
  MarkedRange range("graph");
  if (const uint64_t now = device->bindings.load(); now != bindings) {
    bindings = now;
    changed = true;
    for (Step &step : steps)
      step.changed = step.launch != nullptr;
  }
  if (!native) {
    for (const Step &step : steps)
      SXT_TRY(step.launch ? queueTasks(*step.launch->kernel, stream, step.launch->packed, nullptr)
                          : step.transfer.queue(*stream.impl));
    return SXT_OK;
  }
  if (logs(SXT_LOG_DEBUG)) [[unlikely]]
    log(SXT_LOG_DEBUG, "a graph of %zu steps", steps.size());
  if (changed)
    SXT_TRY(applyChanges());
  SXT_TRY(native->run(*stream.impl));
  for (size_t i = steps.size(); i-- > 0;)
    if (steps[i].launch) {
      noteLaunch(*steps[i].launch->kernel, stream, steps[i].launch->packed);
      break;
    }
  return SXT_OK;
}

//===--- API ---------------------------------------------------------------===//

sxt_status sxt_graph_create(sxt_device *device, sxt_graph **graph) {
  SXT_REQUIRE(device);
  SXT_REQUIRE(graph);
  return guarded([&] {
    auto created = std::make_unique<sxt_graph>();
    created->device = device->state;
    *graph = created.release();
    return SXT_OK;
  });
}

sxt_status sxt_graph_add_launch(sxt_graph *graph, sxt_kernel *kernel, const sxt_argument *arguments,
                                size_t count, size_t *number) {
  SXT_REQUIRE(graph);
  SXT_REQUIRE(kernel);
  return guarded([&] {
    if (kernel->program->device != graph->device)
      return fail(SXT_ERROR_INVALID_ARGUMENT, "the kernel belongs to device %s, the graph to %s",
                  kernel->program->device->name().c_str(), graph->device->name().c_str());
    Step step;
    sxt_launch *launch = nullptr;
    SXT_TRY(sxt_launch_create(kernel, arguments, count, &launch));
    step.launch.reset(launch);
    SXT_TRY(graph->add(std::move(step)));
    if (number)
      *number = graph->steps.size() - 1;
    return SXT_OK;
  });
}

static sxt_status addTransfer(sxt_graph &graph, const sxt_buffer &buffer, GraphStep transfer) {
  if (buffer.device != graph.device.get())
    return fail(SXT_ERROR_INVALID_ARGUMENT, "the buffer belongs to device %s, the graph to %s",
                buffer.device->name().c_str(), graph.device->name().c_str());
  Step step;
  step.transfer = transfer;
  return transfer.bytes ? graph.add(std::move(step)) : SXT_OK;
}

sxt_status sxt_graph_add_copy(sxt_graph *graph, sxt_buffer *destination, uint64_t destinationOffset,
                              sxt_buffer *source, uint64_t sourceOffset, uint64_t size) {
  SXT_REQUIRE(graph);
  SXT_REQUIRE(destination);
  SXT_REQUIRE(source);
  return guarded([&] {
    GraphStep copy;
    SXT_TRY(planCopy(*destination, destinationOffset, *source, sourceOffset, size, copy));
    return addTransfer(*graph, *destination, copy);
  });
}

sxt_status sxt_graph_add_fill(sxt_graph *graph, sxt_buffer *buffer, uint64_t offset, uint64_t size,
                              const void *pattern, size_t patternBytes) {
  SXT_REQUIRE(graph);
  SXT_REQUIRE(buffer);
  SXT_REQUIRE(pattern);
  return guarded([&] {
    GraphStep fill;
    SXT_TRY(planFill(*buffer, offset, size, pattern, patternBytes, fill));
    return addTransfer(*graph, *buffer, fill);
  });
}

sxt_status sxt_graph_set_argument(sxt_graph *graph, size_t number, size_t index,
                                  const sxt_argument *argument) {
  SXT_REQUIRE(graph);
  SXT_REQUIRE(argument);
  return guarded([&] {
    if (number >= graph->steps.size() || !graph->steps[number].launch)
      return fail(SXT_ERROR_OUT_OF_RANGE, "step %zu of the graph is not a launch", number);
    Step &step = graph->steps[number];
    const sxt_kernel *before = step.launch->kernel;
    SXT_TRY(step.launch->set(index, *argument));
    // set() has left the former block in `spare`, if it has not taken another variant.
    if (step.launch->kernel != before ||
        !sameTasks(*step.launch->kernel, step.launch->packed, step.launch->spare))
      graph->dismantle();
    step.changed = graph->changed = true;
    return SXT_OK;
  });
}

sxt_status sxt_graph_enqueue(sxt_graph *graph, sxt_stream *stream) {
  SXT_REQUIRE(graph);
  return guardedInline([&] {
    SXT_TRY(graph->device->choose(stream, stream));
    return graph->enqueue(*stream);
  });
}

sxt_status sxt_graph_describe(sxt_graph *graph, sxt_graph_info *info) {
  SXT_REQUIRE(graph);
  SXT_REQUIRE(info);
  return guarded([&] {
    SXT_TRY(graph->make());
    sxt_graph_info filled{};
    filled.step_count = graph->steps.size();
    filled.native = graph->native != nullptr;
    filled.kept_bytes = graph->temporaryBytes;
    return giveInfo(info, filled);
  });
}

void sxt_graph_release(sxt_graph *graph) { delete graph; }
