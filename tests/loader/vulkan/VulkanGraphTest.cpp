// Graphs on the stand-in for Vulkan: secondary command buffers, what keeps them alive, and
// the order of their runs.
#include "VulkanModule.h"

using namespace sextant;
using namespace sextant::test;

namespace {

/// y = 0; saxpy(2, x, y); z = y.
struct Example {
  Example() {
    graph = saxpyGraph(on, x, y, z, saxpy);
    for (sxt_stream *&stream : streams)
      need(sxt_stream_create(on.device, &stream));
    (void)fakeCommandsRun();
  }
  ~Example() {
    for (sxt_stream *stream : streams)
      sxt_stream_release(stream);
    sxt_graph_release(graph);
  }
  CheckedVulkan checked;
  Loaded on{"vulkan", vulkanOptions()};
  sxt_buffer *x = on.bufferOf(std::vector<float>(100, 1)),
             *y = on.bufferOf(std::vector<float>(100, 7)), *z = on.buffer(400);
  sxt_graph *graph = nullptr;
  sxt_stream *streams[2] = {};
  size_t saxpy = 99;
};

} // namespace

TEST_CASE("a graph is recorded once, and run by each of its submissions") {
  Example example;
  fakeReset();
  for (int run = 0; run < 4; ++run)
    need(sxt_graph_enqueue(example.graph, example.streams[0]));
  need(sxt_stream_synchronize(example.streams[0]));
  CHECK(fakeCalls("vkCmdExecuteCommands") == 4);
  CHECK(fakeCalls("vkCmdDispatchBase") == 1);
  CHECK(fakeCalls("vkCmdFillBuffer") == 1);
  CHECK(fakeCommandsRun() == 12);
  const FakeDispatch &last = *fakeLastDispatch();
  CHECK(std::string(last.name) == "saxpy_t0");
  CHECK(last.grid == 2);
  float a = 0;
  std::memcpy(&a, last.push, 4);
  CHECK(a == 2);
  CHECK(example.on.read<uint32_t>(example.z, 100) == std::vector<uint32_t>(100, 0));
  sxt_graph_info info;
  info.struct_size = sizeof info;
  need(sxt_graph_describe(example.graph, &info));
  CHECK(info.native == 1);
}

TEST_CASE("runs that are queued keep the arguments that they had") {
  Example example;
  fakeHold(1);
  need(sxt_graph_enqueue(example.graph, example.streams[0]));
  const sxt_argument changed = sxt_make_f32(5);
  need(sxt_graph_set_argument(example.graph, example.saxpy, 0, &changed));
  need(sxt_graph_enqueue(example.graph, example.streams[1]));
  // Gone, while its runs are still to come.
  sxt_graph_release(example.graph);
  example.graph = nullptr;
  fakeHold(0);
  fakeRunAll();
  for (sxt_stream *stream : example.streams)
    need(sxt_stream_synchronize(stream));
  CHECK(fakeCommandsRun() == 6);
  float a = 0;
  std::memcpy(&a, fakeLastDispatch()->push, 4);
  CHECK(a == 5);
}

TEST_CASE("runs in two streams come one after another") {
  // The stand-in counts a misuse where something runs before what it waits for.
  Example example;
  for (int run = 0; run < 6; ++run)
    need(sxt_graph_enqueue(example.graph, example.streams[run % 2]));
  for (sxt_stream *stream : example.streams)
    need(sxt_stream_synchronize(stream));
  CHECK(fakeCommandsRun() == 18);
  CHECK(fakeMisuses() == 0);
}

TEST_CASE("whichever call of a graph fails, nothing leaks and the next try works") {
  for (const char *function :
       {"vkCreateCommandPool", "vkAllocateCommandBuffers", "vkBeginCommandBuffer",
        "vkEndCommandBuffer", "vkCreateDescriptorPool", "vkAllocateDescriptorSets",
        "vkQueueSubmit"}) {
    INFO(function);
    Example example;
    fakeFail(function, -1, 0); // VK_ERROR_OUT_OF_HOST_MEMORY
    CHECK(sxt_graph_enqueue(example.graph, example.streams[0]) == SXT_ERROR_OUT_OF_MEMORY);
    need(sxt_graph_enqueue(example.graph, example.streams[0]));
    need(sxt_stream_synchronize(example.streams[0]));
    CHECK(fakeCommandsRun() == 3);
  }
}
