// Graphs on the CPU device, which runs them step by step: order, changes, what is refused.
// What drivers are told is DriverGraphTest.cpp's and VulkanGraphTest.cpp's.
#include "TestModule.h"

using namespace sextant;
using namespace sextant::test;

namespace {

struct Recorded {
  explicit Recorded(Loaded &on) { need(sxt_graph_create(on.device, &graph)); }
  ~Recorded() { sxt_graph_release(graph); }
  size_t launch(sxt_kernel *kernel, const std::vector<sxt_argument> &arguments) {
    size_t step = 99;
    need(sxt_graph_add_launch(graph, kernel, arguments.data(), arguments.size(), &step));
    return step;
  }
  sxt_graph *graph = nullptr;
};

std::vector<sxt_argument> saxpy(float a, sxt_buffer *x, sxt_buffer *y, int64_t n) {
  return {sxt_make_f32(a), sxt_make_array1(x, SXT_DTYPE_F32, n),
          sxt_make_array1(y, SXT_DTYPE_F32, n)};
}

} // namespace

TEST_CASE("a graph's steps run in their order, each time it is enqueued") {
  Loaded on;
  sxt_buffer *x = on.bufferOf<float>({1, 2, 3}), *y = on.buffer(12), *z = on.buffer(12);
  Recorded graph(on);
  const float one = 1;
  need(sxt_graph_add_fill(graph.graph, y, 0, 12, &one, 4));
  CHECK(graph.launch(on.kernel("saxpy"), saxpy(2, x, y, 3)) == 1); // y = 2 x + 1
  need(sxt_graph_add_copy(graph.graph, z, 0, y, 0, 12));
  CHECK(graph.launch(on.kernel("saxpy"), saxpy(1, y, x, 3)) == 3); // x += y
  need(sxt_graph_add_fill(graph.graph, y, 0, 0, &one, 4));         // a fill of no bytes: no step
  need(sxt_graph_enqueue(graph.graph, nullptr));
  CHECK(on.read<float>(z, 3) == std::vector<float>{3, 5, 7});
  CHECK(on.read<float>(x, 3) == std::vector<float>{4, 7, 10});
  need(sxt_graph_enqueue(graph.graph, nullptr));
  CHECK(on.read<float>(z, 3) == std::vector<float>{9, 15, 21});
  CHECK(on.read<float>(x, 3) == std::vector<float>{13, 22, 31});
  sxt_graph_info info;
  info.struct_size = sizeof info;
  need(sxt_graph_describe(graph.graph, &info));
  CHECK(info.step_count == 4);
  CHECK(info.native == 0);
  CHECK(info.kept_bytes == 0);
}

TEST_CASE("arguments of a graph's launches change between runs") {
  Loaded on;
  sxt_buffer *x = on.bufferOf<float>({1, 2, 3}), *y = on.bufferOf<float>({0, 0, 0});
  Recorded graph(on);
  const size_t step = graph.launch(on.kernel("saxpy"), saxpy(1, x, y, 3));
  need(sxt_graph_enqueue(graph.graph, nullptr));
  sxt_argument changed = sxt_make_f32(10);
  need(sxt_graph_set_argument(graph.graph, step, 0, &changed));
  need(sxt_graph_enqueue(graph.graph, nullptr));
  changed = sxt_make_array1(x, SXT_DTYPE_F32, 0);
  need(sxt_graph_set_argument(graph.graph, step, 1, &changed));
  need(sxt_graph_enqueue(graph.graph, nullptr)); // no iterations
  CHECK(on.read<float>(y, 3) == std::vector<float>{11, 22, 33});
  // Steps may be added later.
  graph.launch(on.kernel("saxpy"), saxpy(100, x, y, 1));
  need(sxt_graph_enqueue(graph.graph, nullptr));
  CHECK(on.read<float>(y, 3) == std::vector<float>{111, 22, 33});

  changed = sxt_make_i32(1);
  CHECK(sxt_graph_set_argument(graph.graph, step, 0, &changed) == SXT_ERROR_SIGNATURE);
  CHECK(sxt_graph_set_argument(graph.graph, 2, 0, &changed) == SXT_ERROR_OUT_OF_RANGE);
  CHECK(message() == "step 2 of the graph is not a launch");
  const uint8_t zero = 0;
  need(sxt_graph_add_fill(graph.graph, y, 0, 12, &zero, 1));
  CHECK(sxt_graph_set_argument(graph.graph, 2, 0, &changed) == SXT_ERROR_OUT_OF_RANGE);
}

TEST_CASE("steps that cannot be recorded, and leave the graph as it was") {
  Loaded on;
  sxt_buffer *x = on.bufferOf<float>({1, 2, 3}), *y = on.bufferOf<float>({0, 0, 0});
  Recorded graph(on);
  graph.launch(on.kernel("saxpy"), saxpy(1, x, y, 3));
  const uint32_t pattern = 0;
  CHECK(sxt_graph_add_fill(graph.graph, x, 0, 13, &pattern, 1) == SXT_ERROR_OUT_OF_RANGE);
  CHECK(sxt_graph_add_fill(graph.graph, x, 0, 12, &pattern, 3) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_graph_add_copy(graph.graph, x, 0, x, 4, 8) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(contains(message(), "overlap"));
  CHECK(sxt_graph_add_copy(graph.graph, x, 8, y, 0, 8) == SXT_ERROR_OUT_OF_RANGE);
  std::vector<sxt_argument> wrong = saxpy(1, x, y, 4);
  CHECK(sxt_graph_add_launch(graph.graph, on.kernel("saxpy"), wrong.data(), 3, nullptr) ==
        SXT_ERROR_OUT_OF_RANGE);
  need(sxt_graph_enqueue(graph.graph, nullptr));
  CHECK(on.read<float>(y, 3) == std::vector<float>{1, 2, 3});
  CHECK(sxt_graph_enqueue(nullptr, nullptr) == SXT_ERROR_INVALID_ARGUMENT);
  sxt_graph_release(nullptr);
  Recorded empty(on);
  need(sxt_graph_enqueue(empty.graph, nullptr));
}

TEST_CASE("graphs of launches with several tasks, in several streams") {
  Loaded on;
  sxt_buffer *src = on.bufferOf(std::vector<int32_t>(300, 2));
  Recorded first(on), second(on);
  for (int i = 0; i < 3; ++i) {
    first.launch(on.kernel("total"), {sxt_make_array1(src, SXT_DTYPE_I32, 300)});
    second.launch(on.kernel("total"), {sxt_make_array1(src, SXT_DTYPE_I32, 300)});
  }
  sxt_stream *streams[2];
  for (sxt_stream *&stream : streams)
    need(sxt_stream_create(on.device, &stream));
  for (int i = 0; i < 8; ++i) {
    need(sxt_graph_enqueue(i % 4 < 2 ? first.graph : second.graph, streams[i % 2]));
    need(sxt_stream_synchronize(streams[i % 2]));
  }
  int32_t calls = 0;
  need(sxt_program_global_read(on.program, "calls", 0, &calls, sizeof calls, nullptr));
  CHECK(calls == 24);
  sxt_launch_info info;
  info.struct_size = sizeof info;
  need(sxt_stream_last_launch(streams[0], &info));
  CHECK(std::string(info.kernel) == "total");
  for (sxt_stream *stream : streams)
    sxt_stream_release(stream);
}
