// Arrays without elements, without dimensions, and with more elements than 31 bits count. The
// module sizes.py is built with --large-arrays. By default small launches run the ordinary
// variants; a pin has them run those for large arrays too, so that every machine tests these.
#include "tests/loader/contract/Contract.h"

using namespace sextant;
using namespace sextant::test;

namespace {

/// The module beside that of the other cases: `sizes` for `contract`.
std::string sizesPath() {
  std::string path = Fixture::modulePath();
  const std::string other = "contract";
  return path.replace(path.rfind(other), other.size(), "sizes");
}

struct Sizes {
  Device device = Device::open();
  Module module = Module::open(sizesPath());
  Program program;
  Stream stream = device.defaultStream();

  explicit Sizes(const char *pin = "") : program(module, device, pin) {}
};

constexpr const char *pins[] = {"", "+large-arrays"};
using Ints = std::vector<int>;

Array<int> zeros(const Device &device, int64_t count) {
  Array<int> array(device, count);
  array.clear();
  return array;
}

} // namespace

TEST_CASE("arrays without elements", "[runs]") {
  for (const char *pin : pins) {
    Sizes f(pin);
    for (auto [rows, columns] : {std::pair(0, 0), {0, 4}, {4, 0}, {2, 3}}) {
      Array<float, 2> x(f.device, {rows, columns});
      Array<int> out = zeros(f.device, 6);
      f.program.kernel("loops")(f.stream, x, out);
      const int all = rows * columns;
      CHECK(out.read() == Ints{all, all, columns, all + 100, 2 * all, 2 * rows});
      CHECK(x.read() == std::vector<float>(size_t(all), 2));
      Array<Vector<float, 3>> v(f.device, rows);
      f.program.kernel("fills")(f.stream, x, v, 5.0f);
      CHECK(x.read() == std::vector<float>(size_t(all), 5));
      CHECK(v.read() == std::vector<Vector<float, 3>>(size_t(rows), Vector<float, 3>{5, 5, 5}));
    }
    for (auto [n, m] : {std::pair(0, 0), {0, 5}, {5, 0}, {-3, -3}, {-3, 5}, {2, 3}}) {
      const int rows = std::max(n, 0), columns = std::max(m, 0);
      Array<int> out = zeros(f.device, 4);
      f.program.kernel("ranges")(f.stream, n, m, out);
      CHECK(out.read() == Ints{rows * columns, rows, 2 * rows * std::max(columns - 1, 0), 7});
      Array<int> bounds(f.device, std::vector<int>{n, m});
      out.clear();
      f.program.kernel("from_memory")(f.stream, bounds, out);
      CHECK(out.read() == Ints{rows, rows * columns, 7, 0});
    }
    Array<float> none(f.device, 0), two(f.device, std::vector<float>{2, 3});
    CHECK(f.program.kernel("sum_of").call<float>(f.stream, none) == 1);
    CHECK(f.program.kernel("sum_of").call<float>(f.stream, two) == 6);
    // An empty part of a buffer, also at its end.
    for (uint64_t offset : {0, 8})
      CHECK(f.program.kernel("sum_of").call<float>(
                f.stream, ArrayView<float>{two.buffer().get(), {0}, offset}) == 1);
    Array<int> blocks(f.device, 0);
    f.program.kernel("in_blocks")(f.stream, blocks);
    f.stream.synchronize();
  }
}

TEST_CASE("copies, fills and graphs of nothing") {
  Sizes f;
  Buffer some(f.device, 16), none(f.device, 0);
  const uint32_t pattern = 7;
  uint32_t host[4] = {1, 2, 3, 4};
  check(sxt_buffer_write(some.get(), 0, host, sizeof host, nullptr));
  for (sxt_buffer *buffer : {some.get(), none.get()}) {
    const uint64_t end = buffer == some.get() ? 16 : 0;
    check(sxt_buffer_write(buffer, end, host, 0, nullptr));
    check(sxt_buffer_read(buffer, end, host, 0, nullptr));
    check(sxt_buffer_write_async(buffer, end, host, 0, f.stream.get()));
    check(sxt_buffer_read_async(buffer, end, host, 0, f.stream.get()));
    check(sxt_buffer_fill(buffer, end, 0, &pattern, sizeof pattern, f.stream.get()));
    check(sxt_buffer_copy(some.get(), 16, buffer, end, 0, f.stream.get()));
    check(sxt_buffer_copy(buffer, end, some.get(), 16, 0, f.stream.get()));
  }
  uint32_t back[4] = {};
  check(sxt_buffer_read(some.get(), 0, back, sizeof back, nullptr));
  CHECK(std::equal(back, back + 4, host));
  sxt_graph *graph = nullptr;
  check(sxt_graph_create(f.device.get(), &graph));
  check(sxt_graph_add_copy(graph, none.get(), 0, none.get(), 0, 0));
  check(sxt_graph_add_fill(graph, none.get(), 0, 0, &pattern, sizeof pattern));
  check(sxt_graph_enqueue(graph, f.stream.get()));
  f.stream.synchronize();
  sxt_graph_release(graph);
}

TEST_CASE("graphs and prepared launches whose arrays become empty", "[runs]") {
  for (const char *pin : pins) {
    Sizes f(pin);
    Array<float, 2> x(f.device, {2, 3}), empty(f.device, {3, 0});
    Array<int> out = zeros(f.device, 6);
    PreparedLaunch launch(f.program.kernel("loops"), x, out);
    Graph graph(f.device);
    const size_t step = graph.launch(f.program.kernel("loops"), x, out);
    launch.enqueue(f.stream);
    graph.enqueue(f.stream);
    CHECK(out.read() == Ints{12, 12, 6, 106, 24, 8});
    launch.set(0, empty);
    graph.set(step, 0, empty);
    launch.enqueue(f.stream);
    graph.enqueue(f.stream);
    CHECK(out.read() == Ints{12, 12, 6, 100, 24, 20});
    graph.set(step, 0, x);
    graph.enqueue(f.stream);
    CHECK(out.read() == Ints{18, 18, 9, 106, 36, 24});
  }
}

TEST_CASE("arrays and fields without dimensions", "[runs]") {
  for (const char *pin : pins) {
    Sizes f(pin);
    Array<float, 0> x(f.device, {}), y(f.device, {});
    Array<Vector<float, 3>> v(f.device, 1);
    x.write(std::vector<float>{4});
    CHECK(f.program.kernel("no_dimensions").call<float>(f.stream, x, y, v) == 26);
    CHECK(x.read() == std::vector<float>{107});
    CHECK(y.read() == std::vector<float>{24});
    CHECK(v.read() == std::vector<Vector<float, 3>>{{1, 7, 3}});
    float one = 0, three[3] = {};
    f.program.read("one", std::span<float>(&one, 1));
    f.program.read("three", std::span<float>(three));
    CHECK(one == 26);
    CHECK(three[1] == 7);
  }
}

TEST_CASE("code for large arrays on small ones", "[runs]") {
  Sizes f("+large-arrays");
  CHECK(mentions(f.program.kernel("mark").variant(), "+large-arrays"));
  for (int count : {1, 127, 128, 129, 100003}) {
    Array<int8_t> x(f.device, count);
    f.program.kernel("mark")(f.stream, x);
    const std::vector<int8_t> values = x.read();
    size_t wrong = 0;
    for (size_t i = 0; i < values.size(); ++i)
      wrong += values[i] != int8_t(i % 101);
    CHECK(wrong == 0);
  }
  Array<int8_t, 2> y(f.device, {37, 53});
  f.program.kernel("mark_grid")(f.stream, y);
  const std::vector<int8_t> values = y.read();
  for (int k = 0; k < 37 * 53; ++k)
    CHECK(values[size_t(k)] == (k / 53 * 7 + k % 53) % 101);
  const Ints numbers = iota(640);
  Array<int> z(f.device, std::span<const int>(numbers));
  f.program.kernel("in_blocks")(f.stream, z);
  const Ints turned = z.read();
  for (int i = 0; i < 640; ++i)
    CHECK(turned[size_t(i)] == i / 64 * 64 + 63 - i % 64);
  ArrayView<int> cut{z.buffer().get(), {100}, 0};
  CHECK(failureOf([&] { f.program.kernel("in_blocks")(f.stream, cut); }).first ==
        SXT_ERROR_LAUNCH_REFUSED);
}

TEST_CASE("large arrays without code for them") {
  Fixture f;
  Array<float> x(f.device, 8);
  for (auto [count, said] : {std::pair<int64_t, const char *>(3000000000, "3000000000 scalars"),
                             {int64_t(1) << 31, "2147483648 scalars"}}) {
    ArrayView<float> large{x.buffer().get(), {count}, 0};
    auto [status, message] =
        failureOf([&] { f.program.kernel("saxpy")(f.stream, 2.0f, x, large); });
    CHECK(status == SXT_ERROR_UNSUPPORTED);
    CHECK(mentions(message, "'y'"));
    CHECK(mentions(message, said));
    CHECK(mentions(message, "--large-arrays"));
  }
  // The most that ordinary code takes is past the buffer's end.
  ArrayView<float> most{x.buffer().get(), {(int64_t(1) << 31) - 1}, 0};
  CHECK(failureOf([&] { f.program.kernel("saxpy")(f.stream, 2.0f, x, most); }).first ==
        SXT_ERROR_OUT_OF_RANGE);
}

TEST_CASE("large arrays past the end of their buffer", "[runs]") {
  Sizes f;
  Array<int8_t> bytes(f.device, 8);
  for (int64_t count : {int64_t(3000000000), INT64_MAX}) {
    ArrayView<int8_t> large{bytes.buffer().get(), {count}, 0};
    auto [status, message] = failureOf([&] { f.program.kernel("mark")(f.stream, large); });
    CHECK(status == SXT_ERROR_OUT_OF_RANGE);
    CHECK(mentions(message, "'x'"));
  }
}

//===--- More memory than other tests take: asked for by [large] -----------===//

namespace {

/// Why the device has no array of so many bytes, or "".
std::string lacks(const Sizes &f, uint64_t bytes) {
  const Device::Info info = f.device.info();
  if (info.memory_bytes && info.memory_bytes < bytes + bytes / 4)
    return "the device has " + std::to_string(info.memory_bytes >> 20) + " MiB of memory";
  auto [status, message] = failureOf([&] {
    Array<int8_t> x(f.device, int64_t(bytes));
    f.program.kernel("reverse")(f.stream, x, int64_t(0), 0);
    f.stream.synchronize();
  });
  const bool isLack =
      status == SXT_ERROR_OUT_OF_MEMORY || mentions(message, "maxStorageBufferRange");
  CHECK((status == SXT_OK || isLack));
  return status == SXT_OK ? "" : message;
}

bool isSkipped(const Sizes &f, uint64_t bytes) {
  const std::string why = lacks(f, bytes);
  if (!why.empty())
    WARN("skipped, an array of " << bytes << " bytes: " << why);
  return !why.empty();
}

/// Compares bytes with `expected(index)`, which is cheap, a piece at a time.
template <class F> size_t countWrong(sxt_buffer *buffer, uint64_t bytes, F expected) {
  constexpr uint64_t piece = uint64_t(1) << 26;
  std::vector<int8_t> values(piece);
  size_t wrong = 0;
  for (uint64_t first = 0; first < bytes; first += piece) {
    const uint64_t count = std::min(piece, bytes - first);
    check(sxt_buffer_read(buffer, first, values.data(), count, nullptr));
    for (uint64_t i = 0; i < count; ++i)
      wrong += values[i] != expected(first + i);
  }
  return wrong;
}

void marks(uint64_t count) {
  Sizes f;
  if (isSkipped(f, count))
    return;
  Array<int8_t> x(f.device, int64_t(count));
  x.clear();
  f.program.kernel("mark")(f.stream, x);
  CHECK(countWrong(x.buffer().get(), count, [](uint64_t i) { return int8_t(i % 101); }) == 0);
  CHECK(mentions(f.stream.lastLaunch().target, "+large-arrays"));
  // Around what 31 and 32 bits count, in one thread.
  constexpr int part = 1000;
  const uint64_t first = (count >> 31 << 31) - part / 2;
  f.program.kernel("reverse")(f.stream, x, int64_t(first), part);
  CHECK(countWrong(x.buffer().get(), count, [&](uint64_t i) {
          const bool isTurned = i >= first && i < first + part;
          return int8_t((isTurned ? 2 * first + part - 1 - i : i) % 101);
        }) == 0);
}

} // namespace

TEST_CASE("2^31 elements and more", "[.][large][runs]") { marks((uint64_t(1) << 31) + 12345); }

TEST_CASE("2^32 elements and more", "[.][larger][runs]") { marks((uint64_t(1) << 32) + 54321); }

TEST_CASE("reals and vectors past 8 GiB", "[.][larger][runs]") {
  Sizes f;
  using Vec = Vector<float, 3>;
  auto isFilled = [](sxt_buffer *buffer, uint64_t scalars, float value) {
    std::vector<float> part(1000);
    bool right = true;
    for (uint64_t first : {uint64_t(0), scalars - 1500, scalars - 1000}) {
      check(sxt_buffer_read(buffer, 4 * first, part.data(), 4 * part.size(), nullptr));
      right &= part == std::vector<float>(part.size(), value);
    }
    return right;
  };
  constexpr int64_t half = (int64_t(1) << 30) + 500, third = int64_t(1) << 30;
  Array<float, 2> one(f.device, {1, 1});
  Array<Vec> none(f.device, 0);
  if (!isSkipped(f, 8 * half)) {
    Array<float, 2> x(f.device, {2, half});
    f.program.kernel("fills")(f.stream, x, none, 5.0f);
    CHECK(isFilled(x.buffer().get(), 2 * half, 5));
  }
  if (!isSkipped(f, 12 * third)) {
    Array<Vec> v(f.device, third);
    f.program.kernel("fills")(f.stream, one, v, 7.0f);
    CHECK(isFilled(v.buffer().get(), 3 * third, 7));
  }
}

TEST_CASE("large arrays of two dimensions", "[.][large][runs]") {
  Sizes f;
  constexpr uint64_t rows = 65537, columns = 32769;
  if (isSkipped(f, rows * columns))
    return;
  Array<int8_t, 2> x(f.device, {rows, columns});
  f.program.kernel("mark_grid")(f.stream, x);
  CHECK(countWrong(x.buffer().get(), rows * columns,
                   [](uint64_t i) { return int8_t((i / columns * 7 + i % columns) % 101); }) == 0);
}

TEST_CASE("more than 2^31 iterations", "[.][large][runs]") {
  Sizes f;
  Array<int> out = zeros(f.device, 2);
  f.program.kernel("count_far")(f.stream, 70000, 40000, out);
  CHECK(out.read() == Ints{167, 1}); // 2.8e9 / 2^24, rounded up
}

TEST_CASE("a field of more than 2^31 elements", "[.][large][runs]") {
  Sizes f;
  constexpr uint64_t rows = 1 << 16, columns = (1 << 15) + 1;
  if (isSkipped(f, rows * columns))
    return;
  f.program.kernel("mark_field")(f.stream);
  Kernel at = f.program.kernel("field_at");
  for (int i : {0, 1, 32767, 65533, 65535})
    for (int j : {0, 1, 32768})
      CHECK(at.call<int>(f.stream, i, j) == (i * 3 + j) % 101);
  const ArrayView<int8_t, 2> field = f.program.global<int8_t, 2>("big");
  CHECK(countWrong(field.buffer, rows * columns,
                   [](uint64_t i) { return int8_t((i / columns * 3 + i % columns) % 101); }) == 0);
}

TEST_CASE("prepared launches and graphs whose arrays become large", "[.][large][runs]") {
  Sizes f;
  constexpr uint64_t count = (uint64_t(1) << 31) + 99;
  if (isSkipped(f, count))
    return;
  Array<int8_t> small(f.device, 1000), large(f.device, int64_t(count));
  auto isRight = [&](const Array<int8_t> &x, uint64_t bytes) {
    const bool right =
        countWrong(x.buffer().get(), bytes, [](uint64_t i) { return int8_t(i % 101); }) == 0;
    large.clear();
    small.clear();
    return right;
  };
  PreparedLaunch launch(f.program.kernel("mark"), small);
  Graph graph(f.device);
  const size_t step = graph.launch(f.program.kernel("mark"), small);
  launch.set(0, large);
  launch.enqueue(f.stream);
  CHECK(isRight(large, count));
  graph.enqueue(f.stream);
  CHECK(isRight(small, 1000));
  graph.set(step, 0, large);
  graph.enqueue(f.stream);
  CHECK(isRight(large, count));
  launch.set(0, small);
  launch.enqueue(f.stream);
  CHECK(isRight(small, 1000));
  PreparedLaunch begun(f.program.kernel("mark"), large);
  begun.enqueue(f.stream);
  CHECK(isRight(large, count));
}
