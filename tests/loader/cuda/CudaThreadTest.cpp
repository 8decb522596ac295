// Many threads on a driver's device: what each of them launches reaches the driver on its own
// stream, in its order, with its arguments and a context.
#include "tests/loader/Threads.h"
#include "tests/loader/fakedriver/FakeDriver.h"

#include <cstring>

using namespace sextant::test;

namespace {

ModuleOptions cubinOptions() {
  ModuleOptions options;
  options.targets = {{"cuda", "sm_90", {}, 32}};
  return options;
}

/// The launch that the driver saw last in the stream is saxpy(a, x of `count`, …), the `number`th.
bool sawSaxpy(sxt_stream *stream, float a, sxt_buffer *x, int32_t count, int number) {
  void *native = nullptr;
  uint64_t address = 0;
  FakeLaunch last{};
  return sxt_stream_native(stream, &native) == SXT_OK &&
         sxt_buffer_address(x, &address) == SXT_OK && fakeLastLaunchOf(native, &last) == number &&
         std::strcmp(last.name, "saxpy_t0") == 0 && std::memcmp(last.arguments, &a, 4) == 0 &&
         std::memcmp(last.arguments + 8, &address, 8) == 0 &&
         std::memcmp(last.arguments + 16, &count, 4) == 0;
}

} // namespace

TEST_CASE("threads launch on streams of their own, plainly, prepared and by graphs") {
  fakeReset();
  const int alive = fakeAlive();
  constexpr int threads = 8, rounds = 40;
  {
    Loaded on("cuda:0", cubinOptions());
    CHECK(onThreads(threads, [&](int t) {
            Wrong need;
            sxt_stream *stream = nullptr;
            sxt_kernel *kernel = nullptr;
            sxt_buffer *x = nullptr;
            sxt_launch *prepared = nullptr;
            sxt_graph *graph = nullptr;
            need(sxt_program_kernel(on.program, "saxpy", &kernel)); // one of them loads it
            need(sxt_stream_create(on.device, &stream));
            need(sxt_buffer_create(on.device, 400, &x));
            sxt_argument arguments[] = {sxt_make_f32(0), sxt_make_array1(x, SXT_DTYPE_F32, t + 1),
                                        sxt_make_array1(x, SXT_DTYPE_F32, t + 1)};
            need(sxt_launch_create(kernel, arguments, 3, &prepared));
            need(sxt_graph_create(on.device, &graph));
            need(sxt_graph_add_launch(graph, kernel, arguments, 3, nullptr));
            int launched = 0;
            for (int i = 0; i < rounds; ++i) {
              const auto a = float(1000 * t + i);
              arguments[0] = sxt_make_f32(a);
              switch (i % 3) {
              case 0:
                need(sxt_kernel_launch(kernel, stream, arguments, 3));
                break;
              case 1:
                need(sxt_launch_set_argument(prepared, 0, &arguments[0]));
                need(sxt_launch_enqueue(prepared, stream));
                break;
              default:
                need(sxt_graph_set_argument(graph, 0, 0, &arguments[0]));
                need(sxt_graph_enqueue(graph, stream));
              }
              need(sawSaxpy(stream, a, x, t + 1, ++launched));
            }
            need(sxt_stream_synchronize(stream));
            sxt_graph_release(graph);
            sxt_launch_release(prepared);
            sxt_buffer_release(x);
            sxt_stream_release(stream);
            return need.count;
          }) == 0);
    CHECK(fakeLaunchesRun() == threads * rounds);
    CHECK(fakeCalls("cuModuleLoadDataEx") == 1);
  }
  CHECK(fakeCalls("cuCtxPushCurrent_v2") == fakeCalls("cuCtxPopCurrent_v2"));
  CHECK(fakeAlive() == alive);
  CHECK(fakeMisuses() == 0);
}

TEST_CASE("threads share a driver's stream: no launch is lost, and results stay together") {
  fakeReset();
  const int alive = fakeAlive();
  constexpr int threads = 8, rounds = 40;
  {
    Loaded on("cuda:0", cubinOptions());
    sxt_stream *stream = nullptr;
    need(sxt_stream_create(on.device, &stream));
    sxt_buffer *src = on.buffer(256);
    CHECK(onThreads(threads, [&](int t) {
            Wrong need;
            sxt_kernel *kernel = nullptr;
            need(sxt_program_kernel(on.program, t % 2 ? "total" : "empty", &kernel));
            for (int i = 0; i < rounds; ++i) {
              const sxt_argument argument = sxt_make_array1(src, SXT_DTYPE_I32, 64);
              int64_t sum = 0;
              float pair[2];
              const sxt_result results[] = {{sizeof(sxt_result), SXT_DTYPE_I64, 1, 1, &sum},
                                            {sizeof(sxt_result), SXT_DTYPE_F32, 2, 1, pair}};
              if (t % 2)
                need(sxt_kernel_call(kernel, stream, &argument, 1, results, 2));
              else
                need(sxt_kernel_launch(kernel, stream, nullptr, 0));
            }
            return need.count;
          }) == 0);
    void *native = nullptr;
    FakeLaunch last{};
    need(sxt_stream_native(stream, &native));
    CHECK(fakeLastLaunchOf(native, &last) == threads / 2 * rounds * (1 + 3)); // total has 3 tasks
    sxt_stream_release(stream);
  }
  CHECK(fakeAlive() == alive);
  CHECK(fakeMisuses() == 0);
}
