// Launches on the CPU device: results, grids, returned values, the order of blocks.
#include "TestModule.h"

#include <cmath>
#include <cstring>
#include <numeric>
#include <thread>

using namespace sextant::test;

namespace {

std::vector<float> ramp(size_t count, float scale) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = scale * static_cast<float>(i % 1000) - 3;
  return values;
}

} // namespace

TEST_CASE("saxpy of sizes around blocks and chunks") {
  Loaded on;
  for (int64_t n : {1, 63, 64, 65, 1000, 64 * 1024 + 1}) {
    std::vector<float> x = ramp(static_cast<size_t>(n), 0.5f), y = ramp(static_cast<size_t>(n), 2);
    sxt_buffer *xs = on.bufferOf(x), *ys = on.bufferOf(y);
    sxt_argument arguments[] = {sxt_make_f32(3), sxt_make_array1(xs, SXT_DTYPE_F32, n),
                                sxt_make_array1(ys, SXT_DTYPE_F32, n)};
    need(sxt_kernel_launch(on.kernel("saxpy"), nullptr, arguments, 3));
    std::vector<float> result = on.read<float>(ys, static_cast<size_t>(n));
    bool same = true;
    for (size_t i = 0; i < result.size(); ++i)
      same &= result[i] == std::fma(3.f, x[i], y[i]) || result[i] == 3 * x[i] + y[i];
    CHECK(same);
  }
}

TEST_CASE("no iterations, nothing runs") {
  Loaded on;
  sxt_buffer *none = on.buffer(0);
  sxt_argument arguments[] = {sxt_make_f32(3), sxt_make_array1(none, SXT_DTYPE_F32, 0),
                              sxt_make_array1(none, SXT_DTYPE_F32, 0)};
  need(sxt_kernel_launch(on.kernel("saxpy"), nullptr, arguments, 3));
  sxt_argument negative = sxt_make_i32(-2); // 7 // -2 is -4
  need(sxt_kernel_launch(on.kernel("divided"), nullptr, &negative, 1));
}

TEST_CASE("an array starts at an offset of its buffer") {
  Loaded on;
  sxt_buffer *x = on.bufferOf(std::vector<float>{9, 9, 1, 2}),
             *y = on.bufferOf(std::vector<float>{5, 0, 0, 5});
  sxt_argument arguments[] = {sxt_make_f32(2), sxt_make_array1(x, SXT_DTYPE_F32, 2),
                              sxt_make_array1(y, SXT_DTYPE_F32, 2)};
  arguments[1].offset_bytes = 8;
  arguments[2].offset_bytes = 4;
  need(sxt_kernel_launch(on.kernel("saxpy"), nullptr, arguments, 3));
  CHECK(on.read<float>(y, 4) == std::vector<float>{5, 2, 4, 5});
}

TEST_CASE("an array may be an address, or wrapped host memory on the CPU") {
  Loaded on;
  std::vector<float> x = {1, 2, 3}, y = {10, 20, 30};
  sxt_buffer *wrapped = nullptr;
  need(sxt_buffer_wrap(on.device, reinterpret_cast<uint64_t>(x.data()), 12, &wrapped));
  sxt_argument arguments[] = {sxt_make_f32(1), sxt_make_array1(wrapped, SXT_DTYPE_F32, 3),
                              sxt_make_array1(nullptr, SXT_DTYPE_F32, 3)};
  arguments[2].offset_bytes = reinterpret_cast<uint64_t>(y.data());
  need(sxt_kernel_launch(on.kernel("saxpy"), nullptr, arguments, 3));
  need(sxt_device_synchronize(on.device));
  CHECK(y == std::vector<float>{11, 22, 33});
  sxt_buffer_release(wrapped);
  CHECK(x == std::vector<float>{1, 2, 3}); // still ours
}

TEST_CASE("scalars of every size and a matrix lie where the layout says") {
  Loaded on;
  sxt_buffer *out = on.buffer(12 * 8);
  int8_t c = -5;
  int16_t s = -300;
  uint16_t h = 65535;
  const float m[] = {1, 2, 3, 4, 5, 6.5f};
  sxt_argument arguments[] = {sxt_make_bool(7),
                              sxt_make_scalar(SXT_DTYPE_I8, &c, 1),
                              sxt_make_scalar(SXT_DTYPE_I16, &s, 2),
                              sxt_make_i64(-(int64_t(1) << 40)),
                              sxt_make_scalar(SXT_DTYPE_U16, &h, 2),
                              sxt_make_f64(0.1),
                              sxt_make_matrix(m, SXT_DTYPE_F32, 2, 3),
                              sxt_make_array1(out, SXT_DTYPE_F64, 12)};
  need(sxt_kernel_launch(on.kernel("everything"), nullptr, arguments, 8));
  CHECK(on.read<double>(out, 12) == std::vector<double>{1, -5, -300, -double(int64_t(1) << 40),
                                                        65535, 0.1, 1, 2, 3, 4, 5, 6.5});
}

TEST_CASE("an argument block too long for a queue's entry") {
  Loaded on;
  std::vector<sxt_argument> arguments;
  int64_t expected = 0;
  for (int64_t i = 0; i < 100; ++i) {
    arguments.push_back(sxt_make_i64(i * i - 7));
    expected += (i * i - 7) * (i + 1);
  }
  sxt_buffer *out = on.buffer(8);
  arguments.push_back(sxt_make_array1(out, SXT_DTYPE_I64, 1));
  need(sxt_kernel_launch(on.kernel("many"), nullptr, arguments.data(), arguments.size()));
  CHECK(on.read<int64_t>(out, 1).front() == expected);
}

TEST_CASE("returned values, carried locals and fields") {
  Loaded on;
  std::vector<int32_t> values(10001);
  std::iota(values.begin(), values.end(), -4000);
  int64_t expected = std::accumulate(values.begin(), values.end(), int64_t(0));
  sxt_buffer *src = on.bufferOf(values);
  sxt_argument argument = sxt_make_array1(src, SXT_DTYPE_I32, int64_t(values.size()));
  sxt_kernel *total = on.kernel("total");
  int64_t sum = 0;
  float pair[2] = {};
  sxt_result results[] = {{sizeof(sxt_result), SXT_DTYPE_I64, 1, 1, &sum},
                          {sizeof(sxt_result), SXT_DTYPE_F32, 2, 1, pair}};
  need(sxt_kernel_call(total, nullptr, &argument, 1, results, 2));
  CHECK(sum == expected);
  CHECK(pair[0] == static_cast<float>(expected));
  CHECK(pair[1] == -static_cast<float>(expected));
  need(sxt_kernel_launch(total, nullptr, &argument, 1)); // results are thrown away

  int32_t calls = 0;
  need(sxt_program_global_read(on.program, "calls", 0, &calls, sizeof calls, nullptr));
  CHECK(calls == 2);
  calls = 40;
  need(sxt_program_global_write(on.program, "kernels.c:calls", 0, &calls, sizeof calls, nullptr));
  need(sxt_kernel_launch(total, nullptr, &argument, 1));
  need(sxt_program_global_read(on.program, "calls", 0, &calls, sizeof calls, nullptr));
  CHECK(calls == 41);
  sxt_global_info info;
  info.struct_size = sizeof info;
  need(sxt_program_global(on.program, "calls", &info));
  CHECK(info.size_bytes == 4);
  CHECK(info.ndim == 1);
  CHECK(info.shape[0] == 1);
}

TEST_CASE("calls from many threads on one stream keep their results apart") {
  Loaded on;
  sxt_kernel *total = on.kernel("total");
  std::vector<sxt_buffer *> sources;
  for (int t = 0; t < 8; ++t)
    sources.push_back(on.bufferOf(std::vector<int32_t>(500, t + 1)));
  std::vector<int> wrong(8, 0);
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      sxt_argument argument = sxt_make_array1(sources[size_t(t)], SXT_DTYPE_I32, 500);
      for (int i = 0; i < 100; ++i) {
        int64_t sum = 0;
        float pair[2];
        sxt_result results[] = {{sizeof(sxt_result), SXT_DTYPE_I64, 1, 1, &sum},
                                {sizeof(sxt_result), SXT_DTYPE_F32, 2, 1, pair}};
        wrong[size_t(t)] += sxt_kernel_call(total, nullptr, &argument, 1, results, 2) != SXT_OK ||
                            sum != 500 * (t + 1);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(wrong == std::vector<int>(8, 0));
}

TEST_CASE("blocks that wait for earlier ones make progress") {
  Loaded on;
  constexpr int64_t n = 300;
  sxt_buffer *flags = on.bufferOf(std::vector<int32_t>(n, 0)), *order = on.buffer(n * 4);
  sxt_argument arguments[] = {sxt_make_array1(flags, SXT_DTYPE_I32, n),
                              sxt_make_array1(order, SXT_DTYPE_I32, n)};
  need(sxt_kernel_launch(on.kernel("chain"), nullptr, arguments, 2));
  std::vector<int32_t> expected(n);
  std::iota(expected.begin(), expected.end(), 0);
  CHECK(on.read<int32_t>(order, n) == expected);
}

TEST_CASE("shared memory is aligned and a worker's own") {
  Loaded on;
  sxt_buffer *out = on.buffer(5000 * 8);
  sxt_argument argument = sxt_make_array1(out, SXT_DTYPE_U64, 5000);
  need(sxt_kernel_launch(on.kernel("scratch"), nullptr, &argument, 1));
  CHECK(on.read<uint64_t>(out, 5000) == std::vector<uint64_t>(5000, 1200));
}

TEST_CASE("images find the functions of libm") {
  Loaded on;
  sxt_buffer *x = on.bufferOf(std::vector<float>{0, 1, -2});
  sxt_argument argument = sxt_make_array1(x, SXT_DTYPE_F32, 3);
  need(sxt_kernel_launch(on.kernel("sine"), nullptr, &argument, 1));
  CHECK(on.read<float>(x, 3) == std::vector<float>{0, std::sin(1.f), std::sin(-2.f)});
}

TEST_CASE("a bound that only the device knows gets a grid that fills it") {
  Loaded on;
  sxt_buffer *out = on.buffer(4);
  sxt_argument argument = sxt_make_array1(out, SXT_DTYPE_I32, 1);
  need(sxt_kernel_launch(on.kernel("grid"), nullptr, &argument, 1));
  CHECK(on.read<int32_t>(out, 1).front() >= 1);
}

TEST_CASE("launches that are refused for their sizes") {
  Loaded on;
  sxt_buffer *x = on.buffer(4 * 65);
  sxt_argument argument = sxt_make_array1(x, SXT_DTYPE_F32, 65);
  CHECK(sxt_kernel_launch(on.kernel("full"), nullptr, &argument, 1) == SXT_ERROR_LAUNCH_REFUSED);
  CHECK(contains(message(), "'full' would run 65 iterations"));
  CHECK(contains(message(), "multiple of its block size, 32"));
  argument = sxt_make_array1(x, SXT_DTYPE_F32, 64);
  CHECK(sxt_kernel_launch(on.kernel("full"), nullptr, &argument, 1) == SXT_OK);
  argument = sxt_make_i32(0);
  CHECK(sxt_kernel_launch(on.kernel("divided"), nullptr, &argument, 1) == SXT_ERROR_LAUNCH_REFUSED);
  CHECK(contains(message(), "the step of a parallel loop, or a divisor in its bounds, is 0"));
}

TEST_CASE("first use of kernels from many threads loads each once") {
  for (int round = 0; round < 5; ++round) {
    Loaded on;
    std::vector<sxt_kernel *> found(16);
    std::vector<std::thread> threads;
    for (size_t t = 0; t < found.size(); ++t)
      threads.emplace_back([&, t] {
        if (sxt_program_kernel(on.program, t % 2 ? "saxpy" : "total", &found[t]) != SXT_OK)
          found[t] = nullptr;
      });
    for (std::thread &thread : threads)
      thread.join();
    for (size_t t = 0; t < found.size(); ++t) {
      CHECK(found[t] != nullptr);
      CHECK(found[t] == found[t % 2]);
    }
  }
}

TEST_CASE("a kernel without tasks") { runIdle("cpu", {}); }
