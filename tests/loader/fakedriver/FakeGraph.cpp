// The work that a stream would have done, kept in order.
#include "FakeGraph.h"

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace fake {
namespace {

struct Graph;

struct Node {
  bool isLaunch = false;
  FakeLaunch launch{};
  std::function<void()> work;
  std::vector<void *> after = {};        ///< nodes of the same graph
  std::shared_ptr<Graph> body = nullptr; ///< body of a loop
  uint64_t handle = 0;
};

struct Graph : Object {
  std::vector<std::shared_ptr<Node>> nodes;
  void *last[1] = {};
};

/// The things that are launched: the launches as they are now, by the node.
struct Executable : Object {
  Graph *graph;
  std::map<const Node *, FakeLaunch> launches = {};
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

void run(const Node &node, const FakeLaunch &launch, void *stream) {
  if (!node.isLaunch)
    return node.work();
  state().last = launch;
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

/// Runs the nodes in the order in which they were added: none is before what it follows. A body
/// runs twice.
void runAll(const Graph &graph, const Executable &executable, void *stream) {
  for (const auto &node : graph.nodes)
    if (node->body)
      for (int round = 0; round < 2; ++round)
        runAll(*node->body, executable, stream);
    else
      run(*node, node->isLaunch ? executable.launches.at(node.get()) : node->launch, stream);
}

void copyLaunches(const Graph &graph, Executable &executable) {
  for (const auto &node : graph.nodes)
    if (node->body)
      copyLaunches(*node->body, executable);
    else if (node->isLaunch)
      executable.launches[node.get()] = node->launch;
}

/// "a b<a [c]<b": each node with those that it follows.
std::string textOf(const Graph &graph) {
  std::string text;
  auto nameOf = [](const Node &node) {
    return node.body ? "[" + textOf(*node.body) + "]" : std::string(node.launch.name);
  };
  for (const auto &node : graph.nodes) {
    text += (text.empty() ? "" : " ") + nameOf(*node);
    for (const auto &other : graph.nodes)
      for (void *before : node->after)
        if (other.get() == before)
          text += "<" + nameOf(*other);
  }
  return text;
}

/// Graphs that may get nodes: those that live, and bodies.
std::set<Graph *> &building() {
  static auto *all = new std::set<Graph *>;
  return *all;
}

int addBehind(void **node, void *given, void *const *after, size_t count, Node made) {
  auto *graph = static_cast<Graph *>(given);
  if (!building().count(graph))
    return 1;
  for (size_t i = 0; i < count; ++i) {
    bool isThere = false;
    for (const auto &other : graph->nodes)
      isThere |= other.get() == after[i];
    if (!isThere)
      return 1;
  }
  made.after.assign(after, after + count);
  append(*graph, std::move(made));
  *node = graph->nodes.back().get();
  return 0;
}

} // namespace

int graphCreate(void **graph) {
  auto *made = new Graph{};
  made->kind = "graph";
  state().alive.insert(made);
  building().insert(made);
  *graph = made;
  return 0;
}

int addLaunch(void **node, void *graph, void *const *after, size_t count,
              const FakeLaunch &launch) {
  return addBehind(node, graph, after, count, {true, launch, nullptr});
}

int addLoop(void **node, void *graph, void *const *after, size_t count, uint64_t handle,
            void **body) {
  Node loop;
  loop.body = std::make_shared<Graph>();
  loop.handle = handle;
  *body = loop.body.get();
  building().insert(loop.body.get());
  return addBehind(node, graph, after, count, std::move(loop));
}

int work(void *stream, std::function<void()> work) {
  if (Graph *graph = recordingOf(stream))
    return append(*graph, {false, {}, std::move(work)});
  work();
  return 0;
}

int workLaunch(void *stream, const FakeLaunch &launch) {
  if (Graph *graph = recordingOf(stream))
    return append(*graph, {true, launch, nullptr});
  run({true, launch, nullptr}, launch, stream);
  return 0;
}

int notWhileRecording(void *stream) { return recordingOf(stream) ? 900 : 0; }

int destroyStream(void *stream) {
  delete recordingOf(stream); // the work that was recorded so far is lost
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
  auto *made = new Executable{{"executable", 0, ""}, graph};
  copyLaunches(*graph, *made);
  state().lastGraph = textOf(*graph);
  state().alive.insert(made);
  *executable = made;
  return 0;
}

int setKernel(void *given, void *node, const FakeLaunch &launch) {
  auto *executable = alive<Executable>(given, "executable");
  if (!executable || !alive<Graph>(executable->graph, "graph")) // it owns the nodes
    return 400;
  auto found = executable->launches.find(static_cast<const Node *>(node));
  if (found == executable->launches.end())
    return 1;
  found->second = launch;
  return 0;
}

int launchGraph(void *given, void *stream) {
  auto *executable = alive<Executable>(given, "executable");
  if (!executable)
    return 400;
  runAll(*executable->graph, *executable, stream);
  return 0;
}

int destroyExecutable(void *given) { return destroyed<Executable>(given, "executable"); }
int destroyGraph(void *given) { return destroyed<Graph>(given, "graph"); }

} // namespace fake
