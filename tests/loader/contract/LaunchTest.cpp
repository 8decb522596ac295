// Launches: arguments, tasks, returned values, shared memory, prepared launches.
#include "tests/loader/contract/Contract.h"

using namespace sextant;
using namespace sextant::test;

TEST_CASE("a kernel with a tail", "[runs]") {
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

TEST_CASE("arguments of every size", "[runs]") {
  Fixture f;
  Array<int64_t, 2> grid(f.device, {3, 5});
  constexpr int64_t wide = int64_t(1) << 40;
  f.program.kernel("mixed")(f.stream, true, int8_t(-2), wide, grid, uint16_t(65535));
  std::vector<int64_t> values = grid.read();
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 5; ++j)
      CHECK(values[size_t(i * 5 + j)] == wide - 2000 + 65535 + 10 * i + j);
  f.program.kernel("mixed")(f.stream, false, int8_t(-2), wide, grid, uint16_t(65535));
  CHECK(grid.read() == std::vector<int64_t>(15, -1));
}

/// The last array has no elements, the one before no memory.
TEST_CASE("40 arrays", "[runs]") {
  Fixture f;
  constexpr size_t count = 40, length = 100, apart = 131;
  std::vector<int> values = iota(int(count * apart));
  Array<int> memory(f.device, std::span<const int>(values));
  std::vector<sxt_argument> arguments = {sxt_make_i32(1000)};
  for (size_t k = 0; k < count; ++k)
    arguments.push_back(toArgument(ArrayView<int>{
        memory.view().buffer, {int64_t(k < count - 2 ? length - k : 0)}, 4 * apart * k}));
  const Array<int> none(f.device, 0);
  arguments[count - 1] = toArgument(none);
  for (int round = 0; round < 2; ++round)
    check(sxt_kernel_launch(f.program.kernel("plenty").get(), f.stream.get(), arguments.data(),
                            arguments.size()));
  for (size_t k = 0; k < count - 2; ++k)
    for (size_t i = 0; i < length - k; ++i)
      values[k * apart + i] += int(2 * (1000 * k + i));
  CHECK(memory.read() == values);
}

/// Each array is part of a larger one, whose other elements stay as they are.
TEST_CASE("arrays that begin at any of their elements", "[runs]") {
  Fixture f;
  constexpr size_t n = 100, all = n + 80;
  for (size_t first : {0, 1, 3, 4, 7, 16, 61, 64, 67}) {
    INFO(first);
    std::vector<int> a(all), sums(all);
    std::vector<uint8_t> b(all), e(all);
    std::vector<int16_t> c(all);
    std::vector<int64_t> d(all);
    std::vector<Vector<float, 2>> g(all);
    for (size_t i = 0; i < all; ++i) {
      a[i] = int(5 * i);
      b[i] = uint8_t(i);
      c[i] = int16_t(100 * i);
      d[i] = -int64_t(i) << 33;
      e[i] = uint8_t(2 * i);
      sums[i] = int(i);
      g[i] = {float(i), float(3 * i)};
    }
    Array<int> da(f.device, std::span<const int>(a)), ds(f.device, std::span<const int>(sums));
    Array<uint8_t> db(f.device, std::span<const uint8_t>(b)),
        de(f.device, std::span<const uint8_t>(e));
    Array<int16_t> dc(f.device, std::span<const int16_t>(c));
    Array<int64_t> dd(f.device, std::span<const int64_t>(d));
    Array<Vector<float, 2>> dg(f.device, std::span<const Vector<float, 2>>(g));
    const size_t word = first / 4 * 4;
    const std::vector<sxt_argument> arguments = {
        toArgument(ArrayView<int>{da.view().buffer, {n}, 4 * first}),
        toArgument(ArrayView<uint8_t>{db.view().buffer, {n}, first}),
        toArgument(ArrayView<int16_t>{dc.view().buffer, {n}, 2 * first}),
        toArgument(ArrayView<int64_t>{dd.view().buffer, {n}, 8 * first}),
        toArgument(ArrayView<uint8_t>{de.view().buffer, {n}, word}),
        toArgument(ArrayView<int>{ds.view().buffer, {4}, 4 * first}),
        toArgument(ArrayView<Vector<float, 2>>{dg.view().buffer, {n}, 8 * first})};
    const Kernel kernel = f.program.kernel("anywhere");
    check(sxt_kernel_launch(kernel.get(), f.stream.get(), arguments.data(), arguments.size()));
    for (size_t i = 0; i < n; ++i) {
      const size_t at = first + i;
      sums[first + i % 4] += a[at];
      a[at] += b[at];
      b[at] = uint8_t(b[at] + 1);
      c[at] = int16_t(c[at] - int(i));
      d[at] *= 3;
      e[word + i] = uint8_t(e[word + i] + i);
      g[at] = {g[at][0] * 2 + 1, g[at][1] * 2 + float(i)};
    }
    CHECK(da.read() == a);
    CHECK(db.read() == b);
    CHECK(dc.read() == c);
    CHECK(dd.read() == d);
    CHECK(de.read() == e);
    CHECK(ds.read() == sums);
    size_t wrong = 0;
    const std::vector<Vector<float, 2>> got = dg.read();
    for (size_t i = 0; i < all; ++i)
      wrong += got[i][0] != g[i][0] || got[i][1] != g[i][1];
    CHECK(wrong == 0);
  }
}

TEST_CASE("tasks in order, and a return value", "[runs]") {
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

TEST_CASE("a kernel without tasks") {
  Fixture f;
  Array<int> x(f.device, 4);
  f.program.kernel("nothing")(f.stream, 3, x);
  f.stream.synchronize();
}

TEST_CASE("each task of a kernel has the block's shared memory to itself", "[runs]") {
  Fixture f;
  constexpr size_t count = 64 * 1000;
  std::vector<int> values = iota(count), expected(count);
  Array<int> x(f.device, std::span<const int>(values));
  f.program.kernel("six_tiles")(f.stream, x);
  for (size_t i = 0; i < count; ++i) // six steps round in the block, and the sum of the six terms
    expected[i] = values[i / 64 * 64 + (i + 6) % 64] + 5 + 17 + 29 + 41 + 73 + 95;
  CHECK(x.read() == expected);
}

TEST_CASE("whole blocks only", "[runs]") {
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

TEST_CASE("prepared launches, changed between runs", "[runs]") {
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

TEST_CASE("the variant that runs is told") {
  Fixture f;
  std::string variant = f.program.kernel("saxpy").variant();
  CHECK(variant.starts_with(std::string(f.device.info().backend) + ":"));
  CHECK(mentions(f.program.explain("saxpy"), variant.c_str()));
  WARN("device " << f.device.name() << " (" << f.device.info().description << "), variant "
                 << variant);
}
