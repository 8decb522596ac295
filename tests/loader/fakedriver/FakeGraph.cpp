// What a stream would have done, kept in order.
#include "FakeGraph.h"

#include <memory>
#include <vector>

namespace fake {
namespace {

struct Node {
  bool isLaunch = false;
  FakeLaunch launch{};
  std::function<void()> work;
};

struct Graph : Object {
  std::vector<std::shared_ptr<Node>> nodes;
  void *last[1] = {};
};

struct Executable : Object {
  Graph *graph;
  std::vector<Node> nodes;
};

std::map<void *, Graph *> &recording() {
  static auto *all = new std::map<void *, Graph *>;
  return *all;
}

Graph *recordingOf(void *stream) {
  auto found = recording().find(stream);
  return found == recording().end() ? nullptr : found->second;
}

int append(Graph &graph, Node node) {
  graph.nodes.push_back(std::make_shared<Node>(std::move(node)));
  return 0;
}

void run(const Node &node, void *stream) {
  if (!node.isLaunch)
    return node.work();
  state().last = node.launch;
  state().last.stream = stream;
  ++state().launchesRun;
  auto &[last, count] = state().lastOf[stream];
  last = state().last;
  ++count;
}

template <class T> T *alive(void *given, const char *kind) {
  auto *object = static_cast<Object *>(given);
  return state().alive.count(object) && object->kind == kind ? static_cast<T *>(object) : nullptr;
}

template <class T> int destroyed(void *given, const char *kind) {
  T *object = alive<T>(given, kind);
  if (!object)
    return 400;
  state().alive.erase(object);
  delete object;
  return 0;
}

} // namespace

int work(void *stream, std::function<void()> work) {
  if (Graph *graph = recordingOf(stream))
    return append(*graph, {false, {}, std::move(work)});
  work();
  return 0;
}

int workLaunch(void *stream, const FakeLaunch &launch) {
  if (Graph *graph = recordingOf(stream))
    return append(*graph, {true, launch, nullptr});
  run({true, launch, nullptr}, stream);
  return 0;
}

int notWhileRecording(void *stream) { return recordingOf(stream) ? 900 : 0; }

int destroyStream(void *stream) {
  delete recordingOf(stream); // what was recorded so far is lost
  recording().erase(stream);
  return destroy(stream, "stream");
}

int captureBegin(void *stream, int mode) {
  // In relaxed mode, in a stream that the legacy default stream does not meet.
  if (mode != 2 || !stream || static_cast<Object *>(stream)->text != "non-blocking") {
    ++state().misuses;
    return 1;
  }
  recording()[stream] = new Graph{};
  return 0;
}

int captureInfo(void *stream, int *status, void **graph, void *const **last, size_t *count) {
  Graph *at = recordingOf(stream);
  *status = at != nullptr;
  if (!at)
    return 0;
  *graph = at;
  at->last[0] = at->nodes.empty() ? nullptr : at->nodes.back().get();
  *last = at->last;
  *count = at->nodes.empty() ? 0 : 1;
  return 0;
}

int captureEnd(void *stream, void **graph) {
  Graph *made = recordingOf(stream);
  if (!made)
    return 900;
  recording().erase(stream);
  made->kind = "graph";
  state().alive.insert(made);
  *graph = made;
  return 0;
}

int instantiate(void **executable, void *given, unsigned long long flags) {
  Graph *graph = alive<Graph>(given, "graph");
  if (!graph || flags)
    return 1;
  auto *made = new Executable{{"executable", 0, ""}, graph, {}};
  for (const auto &node : graph->nodes)
    made->nodes.push_back(*node);
  state().alive.insert(made);
  *executable = made;
  return 0;
}

int setKernel(void *given, void *node, const FakeLaunch &launch) {
  auto *executable = alive<Executable>(given, "executable");
  if (!executable || !alive<Graph>(executable->graph, "graph")) // it owns the nodes
    return 400;
  for (size_t i = 0; i < executable->nodes.size(); ++i)
    if (executable->graph->nodes[i].get() == node && executable->nodes[i].isLaunch) {
      executable->nodes[i].launch = launch;
      return 0;
    }
  return 1;
}

int launchGraph(void *given, void *stream) {
  auto *executable = alive<Executable>(given, "executable");
  if (!executable)
    return 400;
  for (const Node &node : executable->nodes)
    run(node, stream);
  return 0;
}

int destroyExecutable(void *given) { return destroyed<Executable>(given, "executable"); }
int destroyGraph(void *given) { return destroyed<Graph>(given, "graph"); }

} // namespace fake
