// The loader on a real device, with a module that the compiler made: the device
// that SEXTANT_DEVICE names, else the best there is. Runs in the tests on the CPU,
// and from the kit on a GPU.
#define SEXTANT_THROWS
#include "sextant/sextant.hpp"
#include "tests/support/Catch.h"

#include <dlfcn.h>
#include <numeric>
#include <span>
#include <thread>

using namespace sextant;

namespace {

/// What every case starts from.
struct Fixture {
  Device device = Device::open();
  Module module = Module::open(modulePath());
  Program program{module, device};
  Stream stream = device.defaultStream();

  static std::string modulePath() {
    const char *path = std::getenv("SEXTANT_TEST_MODULE");
    return path ? path : SEXTANT_DEVICE_MODULE;
  }
};

std::vector<int> iota(int count) {
  std::vector<int> values(static_cast<size_t>(count));
  std::iota(values.begin(), values.end(), 0);
  return values;
}

/// The status and message of a call that should fail.
template <class F> std::pair<sxt_status, std::string> failureOf(F call) {
  try {
    call();
  } catch (const Error &error) {
    return {error.status(), error.what()};
  }
  return {SXT_OK, ""};
}

bool mentions(const std::string &text, const char *part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("a kernel with a tail", "[device]") {
  Fixture f;
  for (int count : {0, 1, 31, 127, 128, 129, 1000, 100003}) {
    std::vector<float> x(static_cast<size_t>(count)), y(x.size());
    for (size_t i = 0; i < x.size(); ++i) {
      x[i] = float(i % 1000);
      y[i] = float(i % 7);
    }
    Array<float> dx(f.device, std::span<const float>(x)), dy(f.device, std::span<const float>(y));
    f.program.kernel("saxpy")(f.stream, 2.0f, dx, dy);
    std::vector<float> result = dy.read();
    size_t wrong = 0;
    for (size_t i = 0; i < x.size(); ++i)
      wrong += result[i] != 2.0f * x[i] + y[i];
    CHECK(wrong == 0);
  }
}

TEST_CASE("arguments of every size", "[device]") {
  Fixture f;
  Array<double, 2> grid(f.device, {3, 5});
  f.program.kernel("mixed")(f.stream, true, int8_t(-2), 0.25, grid, uint16_t(65535));
  std::vector<double> values = grid.read();
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 5; ++j)
      CHECK(values[size_t(i * 5 + j)] == 0.25 - 2000.0 + 65535.0 + 10.0 * i + j);
  f.program.kernel("mixed")(f.stream, false, int8_t(-2), 0.25, grid, uint16_t(65535));
  CHECK(grid.read()[7] == -1.0);
}

TEST_CASE("tasks in order, and a return value", "[device]") {
  Fixture f;
  std::vector<int> values = iota(10000);
  Array<int> x(f.device, std::span<const int>(values));
  Kernel sum = f.program.kernel("sum_of");
  CHECK(sum.call<int>(f.stream, x) == 49995000);
  CHECK(sum.call<int>(f.stream, x) == 49995000);
  int total = 0;
  f.program.read("total", std::span<int>(&total, 1));
  CHECK(total == 49995000);
}

TEST_CASE("a kernel without tasks", "[device]") {
  Fixture f;
  Array<int> x(f.device, 4);
  f.program.kernel("nothing")(f.stream, 3, x);
  f.stream.synchronize();
}

TEST_CASE("each task of a kernel has the block's shared memory to itself", "[device]") {
  Fixture f;
  constexpr size_t count = 64 * 1000;
  std::vector<int> values = iota(count), expected(count);
  Array<int> x(f.device, std::span<const int>(values));
  f.program.kernel("six_tiles")(f.stream, x);
  for (size_t i = 0; i < count; ++i) // six steps round in the block, and the sum of the six terms
    expected[i] = values[i / 64 * 64 + (i + 6) % 64] + 5 + 17 + 29 + 41 + 73 + 95;
  CHECK(x.read() == expected);
}

TEST_CASE("fields by name", "[device]") {
  Fixture f;
  std::vector<float> values(12);
  f.program.read("table", std::span<float>(values));
  CHECK(values == std::vector<float>(12, 0.0f)); // zero at first
  std::iota(values.begin(), values.end(), 1.0f);
  f.program.write("table", std::span<const float>(values));
  f.program.kernel("scale_table")(f.stream, 0.5f);
  std::vector<float> scaled(12);
  f.program.read("table", std::span<float>(scaled));
  for (size_t i = 0; i < 12; ++i)
    CHECK(scaled[i] == 0.5f * values[i]);
  ArrayView<float, 2> view = f.program.global<float, 2>("table");
  CHECK(view.shape == std::array<int64_t, 2>{3, 4});
}

TEST_CASE("prepared launches, changed between runs", "[device]") {
  Fixture f;
  std::vector<int> values = iota(1000);
  Array<int> x(f.device, std::span<const int>(values));
  Array<float> y(f.device, 1000);
  y.clear();
  Array<float> ones(f.device, std::vector<float>(1000, 1));
  PreparedLaunch saxpy(f.program.kernel("saxpy"), 1.0f, ones, y);
  for (int i = 1; i <= 100; ++i) {
    saxpy.set(0, float(i));
    saxpy.enqueue(f.stream);
  }
  CHECK(y.read() == std::vector<float>(1000, 5050));
  PreparedLaunch sum(f.program.kernel("sum_of"), x);
  sum.enqueue(f.stream);
  int total = 0;
  f.program.read("total", std::span<int>(&total, 1));
  CHECK(total == 499500);
  CHECK(std::string(f.stream.lastLaunch().kernel) == "sum_of");
  CHECK(f.stream.lastLaunch().target == f.program.kernel("sum_of").variant());
}

TEST_CASE("graphs of kernels, copies and fills, in several streams", "[device]") {
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
  const std::string backend = f.device.info().backend;
  CHECK(info.native == (backend == "cuda" || backend == "vulkan" || backend == "amdgpu"));
}

TEST_CASE("copies, fills and mappings", "[device]") {
  Fixture f;
  std::vector<int> values = iota(256), back(256);
  Array<int> a(f.device, std::span<const int>(values)), b(f.device, 256);
  check(sxt_buffer_copy(b.buffer().get(), 4, a.buffer().get(), 0, 252 * 4, nullptr));
  uint16_t pattern = 0xabcd;
  check(sxt_buffer_fill(b.buffer().get(), 1020, 4, &pattern, 2, nullptr));
  b.read(std::span<int>(back));
  CHECK(back[1] == 0);
  CHECK(back[252] == 251);
  CHECK(unsigned(back[255]) == 0xabcdabcdu);

  void *mapped = nullptr;
  check(sxt_buffer_map(a.buffer().get(), &mapped));
  CHECK(static_cast<int *>(mapped)[100] == 100);
  static_cast<int *>(mapped)[100] = -5;
  check(sxt_buffer_unmap(a.buffer().get()));
  CHECK(a.read()[100] == -5);

  // Part of a buffer as an array, and the same memory wrapped.
  ArrayView<int> tail{a.buffer().get(), {16}, 240 * 4};
  f.program.kernel("bump")(f.stream, tail);
  Buffer wrapped = Buffer::wrap(f.device, a.buffer().address() + 239 * 4, 3 * 4);
  int three[3];
  check(sxt_buffer_read(wrapped.get(), 0, three, sizeof three, nullptr));
  CHECK(three[0] == 239);
  CHECK(three[1] == 241);
}

TEST_CASE("copies of many megabytes", "[device]") {
  Fixture f;
  std::vector<int> values = iota(15 << 20); // 60 MiB and a bit
  values.push_back(-1);
  Array<int> a(f.device, std::span<const int>(values)), b(f.device, int64_t(values.size()));
  check(sxt_buffer_copy(b.buffer().get(), 0, a.buffer().get(), 0, values.size() * 4, nullptr));
  CHECK(b.read() == values);
}

TEST_CASE("streams and events", "[device]") {
  Fixture f;
  Stream first = f.device.createStream(), second = f.device.createStream();
  Event begin(f.device), done(f.device);
  Array<int> x(f.device, 1 << 16);
  x.clear(first.get());
  Kernel bump = f.program.kernel("bump");
  begin.record(first);
  for (int i = 0; i < 50; ++i)
    bump(first, x);
  done.record(first);
  second.wait(done);
  for (int i = 0; i < 50; ++i)
    bump(second, x);
  second.synchronize();
  CHECK(done.ready());
  CHECK(done.since(begin) >= 0.0);
  CHECK(x.read() == std::vector<int>(1 << 16, 100));
}

TEST_CASE("threads of the host share a program", "[device]") {
  Fixture f;
  std::vector<std::thread> threads;
  std::vector<int> wrong(4);
  for (size_t t = 0; t < wrong.size(); ++t)
    threads.emplace_back([&, t] {
      try {
        Stream stream = f.device.createStream();
        Array<int> x(f.device, 5000);
        x.clear(stream.get());
        for (int i = 0; i < 20; ++i)
          f.program.kernel("bump")(stream, x);
        stream.synchronize();
        for (int value : x.read(stream.get()))
          wrong[t] += value != 20;
      } catch (const Error &) {
        wrong[t] = -1;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(wrong == std::vector<int>(4, 0));
}

TEST_CASE("whole blocks only", "[device]") {
  Fixture f;
  std::vector<int> values = iota(256);
  Array<int> x(f.device, std::span<const int>(values));
  f.program.kernel("full_blocks")(f.stream, x);
  std::vector<int> turned = x.read();
  for (int i = 0; i < 256; ++i)
    CHECK(turned[size_t(i)] == i / 64 * 64 + 63 - i % 64);
  ArrayView<int> part{x.buffer().get(), {100}, 0};
  auto [status, message] = failureOf([&] { f.program.kernel("full_blocks")(f.stream, part); });
  CHECK(status == SXT_ERROR_LAUNCH_REFUSED);
  CHECK(mentions(message, "64"));
}

TEST_CASE("wrong launches are refused with names", "[device]") {
  Fixture f;
  Array<float> x(f.device, 8);
  Array<int> ints(f.device, 8);
  Kernel saxpy = f.program.kernel("saxpy");
  auto wrongType = failureOf([&] { saxpy(f.stream, 2.0f, x, ints); });
  CHECK(wrongType.first == SXT_ERROR_SIGNATURE);
  CHECK(mentions(wrongType.second, "'y'"));
  CHECK(failureOf([&] { saxpy(f.stream, 2.0, x, x); }).first == SXT_ERROR_SIGNATURE);
  CHECK(failureOf([&] { saxpy(f.stream, 2.0f, x); }).first == SXT_ERROR_SIGNATURE);
  ArrayView<float> tooLong{x.buffer().get(), {9}, 0};
  CHECK(failureOf([&] { saxpy(f.stream, 2.0f, tooLong, x); }).first != SXT_OK);
  CHECK(failureOf([&] { f.program.kernel("saxpie"); }).first == SXT_ERROR_NOT_FOUND);
  CHECK(failureOf([&] { Program(f.module, f.device, "nothing:at-all").kernel("saxpy"); }).first ==
        SXT_ERROR_NO_VARIANT);
  // The device still works.
  saxpy(f.stream, 2.0f, x, x);
  f.stream.synchronize();
}

TEST_CASE("the variant that runs is told", "[device]") {
  Fixture f;
  std::string variant = f.program.kernel("saxpy").variant();
  CHECK(variant.starts_with(std::string(f.device.info().backend) + ":"));
  CHECK(mentions(f.program.explain("saxpy"), variant.c_str()));
  WARN("device " << f.device.name() << " (" << f.device.info().description << "), variant "
                 << variant);
}

TEST_CASE("an adopted CUDA context", "[device]") {
  Fixture f;
  if (std::string(f.device.info().backend) != "cuda") {
    WARN("skipped: the device is not CUDA");
    return;
  }
  void *driver = dlopen("libcuda.so.1", RTLD_NOW);
  REQUIRE(driver);
  auto retain = reinterpret_cast<int (*)(void **, int)>(dlsym(driver, "cuDevicePrimaryCtxRetain"));
  auto setCurrent = reinterpret_cast<int (*)(void *)>(dlsym(driver, "cuCtxSetCurrent"));
  void *context = nullptr;
  REQUIRE(retain(&context, 0) == 0);
  REQUIRE(setCurrent(context) == 0);
  Stream mine = f.device.createStream();
  Device adopted = Device::adopt("cuda", nullptr, mine.native());
  CHECK(adopted.defaultStream().native() == mine.native());
  Program program(f.module, adopted);
  std::vector<int> values = iota(1000);
  Array<int> x(adopted, std::span<const int>(values));
  program.kernel("bump")(adopted.defaultStream(), x);
  CHECK(x.read()[999] == 1000);
  REQUIRE(setCurrent(nullptr) == 0);
}
