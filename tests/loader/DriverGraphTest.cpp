// Graphs on CUDA and HIP, over stand-ins for their drivers: what is recorded, what a
// changed argument tells the driver, and what becomes of failures. Built once for each.
#include "TestModule.h"
#include "fakedriver/FakeDriver.h"

#include <cstring>

using namespace sextant;
using namespace sextant::test;

namespace {

#ifdef SEXTANT_TEST_HIP
constexpr const char *device = "hip", *begin = "hipStreamBeginCapture",
                     *end = "hipStreamEndCapture", *info = "hipStreamGetCaptureInfo_v2",
                     *instantiate = "hipGraphInstantiateWithFlags", *launchGraph = "hipGraphLaunch",
                     *setKernel = "hipGraphExecKernelNodeSetParams",
                     *launchKernel = "hipModuleLaunchKernel", *copy = "hipMemcpyDtoDAsync",
                     *create = "hipStreamCreateWithFlags";
#else
constexpr const char *device = "cuda", *begin = "cuStreamBeginCapture_v2",
                     *end = "cuStreamEndCapture", *info = "cuStreamGetCaptureInfo_v2",
                     *instantiate = "cuGraphInstantiateWithFlags", *launchGraph = "cuGraphLaunch",
                     *setKernel = "cuGraphExecKernelNodeSetParams",
                     *launchKernel = "cuLaunchKernel", *copy = "cuMemcpyDtoDAsync_v2",
                     *create = "cuStreamCreate";
#endif

ModuleOptions graphOptions() {
  ModuleOptions options;
#ifdef SEXTANT_TEST_HIP
  options.targets = {{"amdgpu", "gfx1100", {}, 32}};
  options.gpuImage = std::string("\177ELF") + std::string(60, ' ') + "hsaco of kernels";
#else
  options.targets = {{"cuda", "sm_90", {}, 32}};
#endif
  return options;
}

/// y = 0; saxpy(2, x, y); z = y, on a clean record that ends clean.
struct Example {
  Example() {
    graph = saxpyGraph(on, x, y, z, saxpy);
    need(sxt_stream_create(on.device, &stream));
    fakeReset();
    alive = fakeAlive();
  }
  ~Example() {
    sxt_graph_release(graph);
    CHECK(fakeAlive() == alive);
    CHECK(fakeMisuses() == 0);
    sxt_stream_release(stream);
  }
  Loaded on{device, graphOptions()};
  sxt_buffer *x = on.bufferOf(std::vector<float>(100, 1)),
             *y = on.bufferOf(std::vector<float>(100, 7)), *z = on.buffer(400);
  sxt_graph *graph = nullptr;
  sxt_stream *stream = nullptr;
  size_t saxpy = 99;
  int alive = 0;
};

sxt_graph_info describe(sxt_graph *graph) {
  sxt_graph_info facts;
  facts.struct_size = sizeof facts;
  need(sxt_graph_describe(graph, &facts));
  return facts;
}

} // namespace

TEST_CASE("a graph is captured once, and launched as one", "[graph]") {
  Example example;
  for (int run = 0; run < 3; ++run)
    need(sxt_graph_enqueue(example.graph, example.stream));
  CHECK(fakeCalls(begin) == 1);
  CHECK(fakeCalls(end) == 1);
  CHECK(fakeCalls(instantiate) == 1);
  CHECK(fakeCalls(launchKernel) == 1); // into the recording
  CHECK(fakeCalls(copy) == 1);
  CHECK(fakeCalls(launchGraph) == 3);
  CHECK(fakeCalls(setKernel) == 0);
  CHECK(fakeLaunchesRun() == 3);
  const FakeLaunch &last = *fakeLastLaunch();
  CHECK(std::string(last.name) == "saxpy_t0");
  CHECK(last.grid == 2);
  CHECK(last.block == 64);
  void *native = nullptr;
  need(sxt_stream_native(example.stream, &native));
  CHECK(last.stream == native);
  CHECK(example.on.read<uint32_t>(example.z, 100) == std::vector<uint32_t>(100, 0));
  CHECK(describe(example.graph).native == 1);
  CHECK(describe(example.graph).step_count == 3);
  sxt_launch_info ran;
  ran.struct_size = sizeof ran;
  need(sxt_stream_last_launch(example.stream, &ran));
  CHECK(std::string(ran.kernel) == "saxpy");
  CHECK(ran.grid_dim == 2);
}

TEST_CASE("a changed argument is one call, when the graph runs next", "[graph]") {
  Example example;
  need(sxt_graph_enqueue(example.graph, example.stream));
  sxt_argument changed = sxt_make_f32(9);
  need(sxt_graph_set_argument(example.graph, example.saxpy, 0, &changed));
  changed = sxt_make_array1(example.x, SXT_DTYPE_F32, 65);
  need(sxt_graph_set_argument(example.graph, example.saxpy, 1, &changed));
  changed = sxt_make_array1(example.y, SXT_DTYPE_F32, 50);
  need(sxt_graph_set_argument(example.graph, example.saxpy, 2, &changed));
  CHECK(fakeCalls(setKernel) == 0);
  need(sxt_graph_enqueue(example.graph, example.stream));
  need(sxt_graph_enqueue(example.graph, example.stream));
  CHECK(fakeCalls(setKernel) == 1);
  CHECK(fakeCalls(begin) == 1);
  const FakeLaunch &last = *fakeLastLaunch();
  CHECK(last.grid == 2); // saxpy's bound is the extent of x: 65
  float a = 0;
  int32_t n = 0, m = 0;
  std::memcpy(&a, last.arguments, 4);
  std::memcpy(&n, last.arguments + 16, 4);
  std::memcpy(&m, last.arguments + 32, 4);
  CHECK(a == 9);
  CHECK(n == 65);
  CHECK(m == 50);
}

TEST_CASE("a field that moves is told to the graph, when it runs next", "[graph]") {
  Loaded on{device, graphOptions()};
  sxt_buffer *source = on.buffer(400), *place = on.buffer(400);
  const sxt_argument argument = sxt_make_array1(source, SXT_DTYPE_I32, 100);
  sxt_graph *graph = nullptr;
  need(sxt_graph_create(on.device, &graph));
  need(sxt_graph_add_launch(graph, on.kernel("total"), &argument, 1, nullptr));
  need(sxt_graph_enqueue(graph, nullptr));
  fakeReset();
  need(sxt_graph_enqueue(graph, nullptr));
  CHECK(fakeCalls(setKernel) == 0);
  need(sxt_program_global_bind(on.program, "calls", place, 8));
  need(sxt_graph_enqueue(graph, nullptr));
  CHECK(fakeCalls(setKernel) == 3); // the kernel's tasks
  CHECK(fakeCalls(instantiate) == 0);
  uint64_t address = 0, seen = 0;
  need(sxt_buffer_address(place, &address));
  std::memcpy(&seen, fakeLastLaunch()->arguments + 16, sizeof seen); // as kernels.c has it
  CHECK(seen == address + 8);
  need(sxt_graph_enqueue(graph, nullptr));
  CHECK(fakeCalls(setKernel) == 3);
  sxt_graph_release(graph);
}

TEST_CASE("a kernel that comes to have no blocks makes another graph", "[graph]") {
  Example example;
  need(sxt_graph_enqueue(example.graph, example.stream));
  sxt_argument changed = sxt_make_array1(example.x, SXT_DTYPE_F32, 0);
  need(sxt_graph_set_argument(example.graph, example.saxpy, 1, &changed));
  need(sxt_graph_enqueue(example.graph, example.stream));
  CHECK(fakeCalls(begin) == 2);
  CHECK(fakeLaunchesRun() == 1); // those of the first run
  changed = sxt_make_array1(example.x, SXT_DTYPE_F32, 100);
  need(sxt_graph_set_argument(example.graph, example.saxpy, 1, &changed));
  need(sxt_graph_enqueue(example.graph, example.stream));
  CHECK(fakeCalls(begin) == 3);
  CHECK(fakeLaunchesRun() == 2);
}

TEST_CASE("a graph keeps memory of its own for carried values", "[graph]") {
  Example example;
  const sxt_argument total = sxt_make_array1(example.x, SXT_DTYPE_I32, 100);
  need(sxt_graph_add_launch(example.graph, example.on.kernel("total"), &total, 1, nullptr));
  example.alive = fakeAlive(); // with the field
  CHECK(describe(example.graph).kept_bytes == 3 * 256);
  need(sxt_graph_enqueue(example.graph, example.stream));
  CHECK(fakeLaunchesRun() == 4); // saxpy, and total's three tasks
  uint64_t inGraph = 0, inStream = 0;
  std::memcpy(&inGraph, fakeLastLaunch()->arguments + 40, 8);
  need(sxt_kernel_launch(example.on.kernel("total"), example.stream, &total, 1));
  std::memcpy(&inStream, fakeLastLaunch()->arguments + 40, 8);
  CHECK(inGraph != inStream);
  example.alive += 1; // the stream's
}

TEST_CASE("a graph that the driver does not make runs step by step", "[graph]") {
  for (const char *failing : {begin, info, end, instantiate, launchKernel}) {
    INFO(failing);
    Example example;
    fakeFail(failing, 719, 0);
    need(sxt_graph_enqueue(example.graph, example.stream));
    CHECK(describe(example.graph).native == 0);
    CHECK(fakeCalls(launchGraph) == 0);
    CHECK(fakeLaunchesRun() == 1);
    CHECK(example.on.read<uint32_t>(example.z, 100) == std::vector<uint32_t>(100, 0));
    need(sxt_graph_enqueue(example.graph, example.stream));
    CHECK(fakeLaunchesRun() == 2);
  }
}

TEST_CASE("failures while a graph runs are told, and the next run is whole", "[graph]") {
  Example example;
  fakeFail(create, 2, 0); // the stream that records
  CHECK(sxt_graph_enqueue(example.graph, example.stream) == SXT_ERROR_OUT_OF_MEMORY);
  need(sxt_graph_enqueue(example.graph, example.stream));
  fakeFail(launchGraph, 719, 0);
  CHECK(sxt_graph_enqueue(example.graph, example.stream) == SXT_ERROR_DEVICE);
  CHECK(contains(message(), std::string(launchGraph) + " failed"));
  const sxt_argument changed = sxt_make_f32(9);
  need(sxt_graph_set_argument(example.graph, example.saxpy, 0, &changed));
  fakeFail(setKernel, 719, 0);
  CHECK(sxt_graph_enqueue(example.graph, example.stream) == SXT_ERROR_DEVICE);
  need(sxt_graph_enqueue(example.graph, example.stream)); // tries again
  float a = 0;
  std::memcpy(&a, fakeLastLaunch()->arguments, 4);
  CHECK(a == 9);
}

#ifndef SEXTANT_TEST_HIP

namespace {

/// Launches of "rounds".
struct Rounds {
  explicit Rounds(const char *arch = "sm_90", const std::vector<std::string> &needs = {
                                                  "conditional-graphs", "graph-addresses"}) {
    ModuleOptions options = graphOptions();
    options.targets = {{"cuda", arch, {}, 32}};
    options.loopNeeds = needs;
    on = std::make_unique<Loaded>(device, options);
    x = on->bufferOf(std::vector<float>(200, 1));
    flag = on->bufferOf(std::vector<int32_t>(1, 1));
    kernel = on->kernel("rounds");
    fakeReset();
  }
  sxt_status launch(int64_t count) {
    const sxt_argument arguments[] = {sxt_make_array1(x, SXT_DTYPE_F32, count),
                                      sxt_make_array0(flag, SXT_DTYPE_I32)};
    return sxt_kernel_launch(kernel, nullptr, arguments, 2);
  }
  /// The words' address as the last launch was given it.
  uint64_t address() {
    uint64_t given = 0;
    std::memcpy(&given, fakeLastLaunch()->arguments + 24, sizeof given);
    return given;
  }
  std::vector<uint32_t> words() {
    const auto *at = reinterpret_cast<const uint32_t *>(address() & ~uint64_t(1));
    return {at, at + 9};
  }
  std::unique_ptr<Loaded> on;
  sxt_buffer *x = nullptr, *flag = nullptr;
  sxt_kernel *kernel = nullptr;
};

} // namespace

TEST_CASE("a kernel's loops and sections are nodes of a graph", "[graph]") {
  Rounds rounds;
  need(rounds.launch(100));
  CHECK(std::string(fakeLastGraph()) ==
        "begin [body left<body right<body [inner]<left<right again<[inner]]<begin "
        "end<[body left<body right<body [inner]<left<right again<[inner]]");
  // Bodies run twice there: begin, 2 x (body, left, right, 2 x inner, again), end.
  CHECK(fakeLaunchesRun() == 14);
  CHECK(fakeCalls(launchKernel) == 0);
  // The code finds the handles after the words of the loops, low halves first.
  const std::vector<uint32_t> words = rounds.words();
  CHECK(std::vector<uint32_t>(words.begin(), words.begin() + 5) == std::vector<uint32_t>(5));
  CHECK(words[5] != 0);
  CHECK(words[6] == 0xabc);
  CHECK(words[7] == words[5] + 1);
  CHECK(words[8] == 0xabc);
  CHECK(rounds.address() % 4 == 1); // tasks need not look

  // The same launch again costs nothing; other arguments replace the launches.
  need(rounds.launch(100));
  CHECK(fakeCalls(instantiate) == 1);
  CHECK(fakeCalls(setKernel) == 0);
  need(rounds.launch(90));
  CHECK(fakeCalls(setKernel) == 7);
  CHECK(fakeCalls(instantiate) == 1);
  int32_t n = 0;
  std::memcpy(&n, fakeLastLaunch()->arguments + 8, 4);
  CHECK(n == 90);
  CHECK(fakeLaunchesRun() == 3 * 14);
  // Without elements there are other nodes.
  need(rounds.launch(0));
  CHECK(fakeCalls(instantiate) == 2);
  CHECK(std::string(fakeLastGraph()) ==
        "begin [left [inner]<left again<[inner]]<begin end<[left [inner]<left again<[inner]]");
}

TEST_CASE("code that looks in a graph too gets an even address", "[graph]") {
  Rounds rounds("sm_90", {"conditional-graphs"});
  need(rounds.launch(100));
  CHECK(fakeLaunchesRun() == 14);
  CHECK(rounds.address() % 4 == 0);
}

TEST_CASE("if the driver has no loops, the host repeats the tasks", "[graph]") {
  for (const char *failing : {"cuGraphCreate", "cuGraphAddKernelNode", "cuGraphAddNode",
                              "cuGraphConditionalHandleCreate", "cuGraphInstantiateWithFlags"}) {
    INFO(failing);
    Rounds rounds;
    fakeFail(failing, 719, 0);
    need(rounds.launch(100));
    CHECK(fakeCalls(launchGraph) == 0);
    CHECK(fakeLaunchesRun() == 7); // no task says that there is another round
    CHECK(rounds.words() == std::vector<uint32_t>(9));
    CHECK(rounds.address() % 4 == 0);
    need(rounds.launch(100));
    CHECK(fakeCalls(failing) == 1); // it is not asked again
    CHECK(fakeLaunchesRun() == 14);
  }
  // Code for all GPUs knows nothing of nodes.
  Rounds portable("compute_80");
  need(portable.launch(100));
  CHECK(fakeCalls("cuGraphCreate") == 0);
  CHECK(fakeLaunchesRun() == 7);
}

TEST_CASE("a launch that fails to change a kernel's graph leaves no half of it", "[graph]") {
  Rounds rounds;
  need(rounds.launch(100));
  fakeFail(setKernel, 719, 3);
  CHECK(rounds.launch(90) == SXT_ERROR_DEVICE);
  need(rounds.launch(90));
  CHECK(fakeCalls(instantiate) == 2);
  fakeFail(launchGraph, 719, 0);
  CHECK(rounds.launch(90) == SXT_ERROR_DEVICE);
  need(rounds.launch(90));
}

#endif
