// Graphs: their steps, their order, changes between runs.
#include "tests/loader/contract/Contract.h"

using namespace sextant;
using namespace sextant::test;

TEST_CASE("graphs of kernels, copies and fills, in several streams", "[runs]") {
  Fixture f;
  Array<float> x(f.device, std::vector<float>(5000, 1)), y(f.device, 5000), z(f.device, 5000);
  Array<int> n(f.device, iota(5000));
  Kernel saxpy = f.program.kernel("saxpy");
  Graph graph(f.device);
  graph.clear(y.view());
  const size_t first = graph.launch(saxpy, 2.0f, x, y);
  for (int i = 0; i < 20; ++i)
    graph.launch(saxpy, 1.0f, x, y);
  graph.launch(f.program.kernel("sum_of"), n);
  graph.copy(z.view(), y.view());
  graph.launch(f.program.kernel("bump"), n);
  Stream other = f.device.createStream();
  f.stream.synchronize();
  constexpr int sumAtFirst = 4999 * 2500;
  for (int run = 0; run < 6; ++run) {
    graph.set(first, 0, float(run)); // while the run before may be at work
    graph.enqueue(run % 2 ? other : f.stream);
    if (run % 3 == 2) {
      f.device.synchronize();
      CHECK(z.read() == std::vector<float>(5000, float(run + 20)));
      int total = 0;
      f.program.read("total", std::span<int>(&total, 1));
      CHECK(total == sumAtFirst + 5000 * run);
    } else {
      // Step by step, only the application orders streams.
      f.device.synchronize();
    }
  }
  // Fewer iterations, none, all.
  for (int count : {17, 0, 5000}) {
    graph.set(first, 0, 100.0f);
    graph.set(first, 1, ArrayView<float>{x.buffer().get(), {count}, 0});
    graph.enqueue(f.stream);
    std::vector<float> expected(5000, 20);
    std::fill_n(expected.begin(), count, 120.0f);
    CHECK(z.read() == expected);
  }
  sxt_graph_info info;
  info.struct_size = sizeof info;
  check(sxt_graph_describe(graph.get(), &info));
  CHECK(info.step_count == 25);
  CHECK((info.native != 0) == f.subject().hasGraphs());
}

TEST_CASE("graphs of copies and fills") {
  Fixture f;
  const std::vector<int> values = iota(1000);
  Array<int> a(f.device, std::span<const int>(values)), b(f.device, 1000), c(f.device, 1000);
  Graph graph(f.device);
  graph.clear(b.view());
  graph.copy(c.view(), b.view());
  graph.copy(b.view(), a.view());
  for (int run = 0; run < 3; ++run) {
    const std::vector<int> now(1000, run);
    check(sxt_buffer_copy(c.buffer().get(), 0, a.buffer().get(), 0, 4000, nullptr));
    graph.enqueue(f.stream);
    CHECK(c.read() == std::vector<int>(1000, 0));
    CHECK(b.read() == (run == 0 ? values : std::vector<int>(1000, run - 1)));
    a.write(std::span<const int>(now));
  }
  // Steps may be added to a graph that has run.
  graph.copy(c.view(), a.view());
  graph.enqueue(f.stream);
  CHECK(c.read() == std::vector<int>(1000, 2));
}

TEST_CASE("a graph stays as it was when a step is refused") {
  Fixture f;
  const std::vector<int> values = iota(8);
  Array<int> a(f.device, std::span<const int>(values)), b(f.device, 8);
  Graph graph(f.device);
  graph.copy(b.view(), a.view());
  CHECK(sxt_graph_add_copy(graph.get(), a.buffer().get(), 0, a.buffer().get(), 4, 8) ==
        SXT_ERROR_INVALID_ARGUMENT);
  CHECK(sxt_graph_add_copy(graph.get(), a.buffer().get(), 28, b.buffer().get(), 0, 8) ==
        SXT_ERROR_OUT_OF_RANGE);
  const sxt_argument number = sxt_make_i32(1);
  CHECK(sxt_graph_add_launch(graph.get(), f.program.kernel("bump").get(), &number, 1, nullptr) ==
        SXT_ERROR_SIGNATURE);
  CHECK(sxt_graph_set_argument(graph.get(), 0, 0, &number) == SXT_ERROR_OUT_OF_RANGE);
  graph.enqueue(f.stream);
  CHECK(b.read() == values);
  CHECK(a.read() == values);
  sxt_graph_info info;
  info.struct_size = sizeof info;
  check(sxt_graph_describe(graph.get(), &info));
  CHECK(info.step_count == 1);
}
