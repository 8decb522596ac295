// Graphs of CUDA and HIP. They are captured from the calls that a stream makes for the same steps,
// so that launches and copies are written only once. A changed launch replaces its node in the
// executable graph.
#include "loader/devices/common/DriverDevice.h"

namespace sextant::loader::driver {
namespace {

class DriverGraph : public DeviceGraph {
public:
  explicit DriverGraph(const DeviceContext &context) : context(context), api(context.api) {}
  ~DriverGraph() override {
    Current current(context);
    if (!context.isGone() && executable)
      (void)guarded([&] { return context.settle(nullptr); });
    if (context.isGone())
      return;
    if (executable) {
      api.synchronize.function(); // its runs may be anywhere
      api.executableDestroy.function(executable);
    }
    if (graph)
      api.graphDestroy.function(graph);
  }

  /// Called with the context current.
  sxt_status record(DeviceStream &recorder, std::span<const GraphStep> steps) {
    auto stream = static_cast<Stream>(recorder.native());
    constexpr int relaxed = 2; // other threads may do what they like meanwhile
    SXT_TRY(api(api.captureBegin, stream, relaxed));
    Capture capture{api, stream, graph};
    for (const GraphStep &step : steps) {
      SXT_TRY(step.queue(recorder));
      SXT_TRY(noteNode(stream));
    }
    SXT_TRY(api.check(capture.end(), api.captureEnd.name));
    return api(api.instantiate, &executable, graph, 0ull);
  }

  sxt_status change(size_t index, const GraphStep &step) override {
    Current current(context);
    SXT_TRY(current.status());
    LaunchExtra extra(api, step.block, step.blockBytes);
    const KernelNode kernel{static_cast<Function>(step.task.function), step.grid,
                            step.task.blockDim, step.task.sharedBytes, extra.get()};
    return api.check(api.setNode(executable, nodes[index], kernel), api.setKernel.name);
  }
  sxt_status run(DeviceStream &stream) override {
    Current current(context);
    SXT_TRY(current.status());
    return api(api.launchGraph, executable, static_cast<Stream>(stream.native()));
  }

private:
  /// The capture ends on every path: a stream that records can do nothing else.
  struct Capture {
    const Api &api;
    Stream stream;
    Graph &graph;
    bool open = true;

    Result end() {
      open = false;
      return api.captureEnd.function(stream, &graph);
    }
    ~Capture() {
      if (open)
        (void)end();
    }
  };

  /// Notes the node of the last step: the one that the next step would follow.
  sxt_status noteNode(Stream stream) {
    int state = 0;
    unsigned long long id = 0;
    Graph recording = nullptr;
    const GraphNode *last = nullptr;
    size_t count = 0;
    SXT_TRY(api(api.captureInfo, stream, &state, &id, &recording, &last, &count));
    if (count != 1)
      return fail(SXT_ERROR_UNSUPPORTED, "the driver records a step as %zu", count);
    nodes.push_back(last[0]);
    return SXT_OK;
  }

  const DeviceContext &context;
  const Api &api;
  Graph graph = nullptr; ///< stays: it owns the nodes
  GraphExec executable = nullptr;
  std::vector<GraphNode> nodes; ///< of each step
};

} // namespace

sxt_status makeGraph(const DeviceContext &context, DeviceStream &recorder,
                     std::span<const GraphStep> steps, std::unique_ptr<DeviceGraph> &graph) {
  auto made = std::make_unique<DriverGraph>(context);
  if (made->record(recorder, steps) != SXT_OK)
    log(SXT_LOG_WARNING, "a graph is run step by step: %s", sxt_last_error_message());
  else
    graph = std::move(made);
  return SXT_OK;
}

} // namespace sextant::loader::driver
