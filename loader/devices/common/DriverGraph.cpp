// Graphs of CUDA and HIP. They are captured from the calls that a stream makes for the same steps,
// so that launches and copies are written only once. A changed launch replaces its node in the
// executable graph.
#include "loader/devices/common/DriverDevice.h"

#include <utility>

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

  /// Called with the context current.
  sxt_status build(std::span<const GraphStep> tasks, std::span<const abi::Span> spans,
                   std::vector<uint64_t> &handles) {
    SXT_TRY(api.check(api.graphCreate(&graph), "cuGraphCreate"));
    nodes.resize(tasks.size());
    std::vector<GraphNode> after;
    SXT_TRY((Builder{*this, tasks, spans, handles}).add(graph, 0, tasks.size(), 0, after));
    return api(api.instantiate, &executable, graph, 0ull);
  }

  sxt_status change(size_t index, const GraphStep &step) override {
    Current current(context);
    SXT_TRY(current.status());
    LaunchExtra extra(api, step.block, step.blockBytes);
    const KernelNode kernel = nodeOf(step, extra);
    return api.check(api.setNode(executable, nodes[index], kernel), api.setKernel.name);
  }
  sxt_status run(DeviceStream &stream) override {
    Current current(context);
    SXT_TRY(current.status());
    return api(api.launchGraph, executable, static_cast<Stream>(stream.native()));
  }

private:
  static KernelNode nodeOf(const GraphStep &step, LaunchExtra &extra) {
    return {static_cast<Function>(step.task.function), step.grid, step.task.blockDim,
            step.task.sharedBytes, extra.get()};
  }

  /// Adds tasks to a graph. Each follows the one before it; branches follow what is before their
  /// fork.
  struct Builder {
    DriverGraph &to;
    std::span<const GraphStep> tasks;
    std::span<const abi::Span> spans;
    std::vector<uint64_t> &handles;

    /// \param span the first that begins at `begin` or later
    /// \param after what the next node follows: replaced by what follows the tasks
    sxt_status add(Graph graph, size_t begin, size_t end, size_t span,
                   std::vector<GraphNode> &after) {
      for (size_t task = begin; task < end;) {
        while (span < spans.size() && spans[span].begin < task)
          ++span;
        if (span < spans.size() && spans[span].begin == task) {
          const abi::Span &inner = spans[span++];
          SXT_TRY(addSpan(graph, inner, span, after));
          task = inner.end;
          continue;
        }
        if (tasks[task].grid) {
          LaunchExtra extra(to.api, tasks[task].block, tasks[task].blockBytes);
          SXT_TRY(to.api.check(
              to.api.addLaunch(graph, after, nodeOf(tasks[task], extra), to.nodes[task]),
              "cuGraphAddKernelNode"));
          after = {to.nodes[task]};
        }
        ++task;
      }
      return SXT_OK;
    }

    sxt_status addSpan(Graph graph, const abi::Span &span, size_t next,
                       std::vector<GraphNode> &after) {
      if (span.kind == abi::Span::Loop) {
        GraphNode node = nullptr;
        Graph body = nullptr;
        uint64_t handle = 0;
        SXT_TRY(to.api.check(to.api.addLoop(graph, after, to.context.context, node, body, handle),
                             "adding a loop to a graph"));
        handles.push_back(handle);
        after = {node};
        std::vector<GraphNode> inner;
        return add(body, span.begin, span.end, next, inner);
      }
      if (span.kind != abi::Span::Fork)
        return add(graph, span.begin, span.end, next, after);
      const std::vector<GraphNode> fork = std::exchange(after, {});
      for (size_t task = span.begin; task < span.end; ++next) { // branch by branch
        std::vector<GraphNode> branch = fork;
        SXT_TRY(add(graph, spans[next].begin, spans[next].end, next + 1, branch));
        after.insert(after.end(), branch.begin(), branch.end());
        task = spans[next].end;
      }
      return SXT_OK;
    }
  };

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
  std::vector<GraphNode> nodes; ///< one for each step
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

sxt_status makeSchedule(const DeviceContext &context, std::span<const GraphStep> tasks,
                        std::span<const abi::Span> spans, std::vector<uint64_t> &handles,
                        std::unique_ptr<DeviceGraph> &graph) {
  auto made = std::make_unique<DriverGraph>(context);
  if (made->build(tasks, spans, handles) != SXT_OK)
    log(SXT_LOG_WARNING, "a kernel's loops are run by the host: %s", sxt_last_error_message());
  else
    graph = std::move(made);
  return SXT_OK;
}

} // namespace sextant::loader::driver
