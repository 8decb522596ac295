// Structs by value, in fields, shared memory and arguments; methods; objects that the build
// describes; see kernels/structs.py.
#include "tests/conformance/Harness.h"

namespace conformance {

namespace {

using Vec2 = sextant::Vector<float, 2>;
using Vec2i = sextant::Vector<int32_t, 2>;
using Vec3 = sextant::Vector<float, 3>;
using Mat2 = sextant::Matrix<float, 2, 2>;
using Ints = std::vector<int32_t>;
using Floats = std::vector<float>;

/// The area of a box of these sizes after it grew by `by` on each side.
int grown(int width, int height, int by) { return (width + 2 * by) * (height + 2 * by); }

void records(Run &run) {
  const int n = 7;
  run.launch("set_things", int32_t(n));
  auto out = run.zeros<int32_t>(80);
  auto weights = run.zeros<float>(20);
  run.launch("read_things", out, weights);
  Ints wanted;
  Floats heavy;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 5; ++j) {
      // [[i, j], [1/4, -i]] times (1, 2), of whose rows the sum is taken.
      const double spun = i + 2 * j + 0.25 - 2 * i;
      wanted.insert(wanted.end(), {3 * n, grown(3, n, 1), grown(3, n, 2) + j - 2, int(4 * spun)});
      heavy.push_back(1.5f * float(i));
    }
  expectSame("out", out.read(), wanted);
  expectSame("weights", weights.read(), heavy);

  auto boxes = run.zeros<int32_t>(80);
  run.launch("change_things", boxes);
  Ints corners;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 5; ++j) {
      int low[2] = {0, j - i}, high[2] = {i + 3 + i, j + n + i}; // low.x is i - i
      if (j % 2 == 0) {
        high[0] = low[0];
        high[1] = low[1];
        low[0] = low[1] = 0;
      }
      --low[j % 2];
      corners.insert(corners.end(), {low[0], low[1], high[0], high[1]});
    }
  expectSame("boxes", boxes.read(), corners);
  // The field's members are fields by their dotted names.
  std::vector<Mat2> spin(20);
  std::vector<int8_t> kind(20);
  const auto spins = run.program.global<Mat2, 2>("things.spin");
  const auto kinds = run.program.global<int8_t, 2>("things.kind");
  sextant::check(
      sxt_buffer_read(spins.buffer, spins.offsetBytes, spin.data(), 20 * sizeof(Mat2), nullptr));
  sextant::check(sxt_buffer_read(kinds.buffer, kinds.offsetBytes, kind.data(), 20, nullptr));
  expectSame("spin", 0, spin[0][3], 20.0f);
  expectSame("kind", 9, kind[9], int8_t(2));
}

void choices(Run &run) {
  struct Pair {
    float first, x, y;
  };
  auto swapped = [](Pair p) { return Pair{p.y, p.x, p.first}; };
  auto out = run.zeros<float>(192);
  run.launch("choose", out);
  Floats wanted;
  for (int i = 0; i < 64; ++i) {
    auto at = [](int k) { return Pair{float(k), float(2 * k), float(3 * k)}; };
    Pair p = i % 3 == 0 ? at(i) : swapped(at(63 - i));
    if (i % 4 == 1) {
      p = swapped(p);
      p.first = 7;
    }
    while (p.first > 40) {
      p.first -= 25;
      p.x += 0.5f;
      p.y += 0.5f;
    }
    wanted.insert(wanted.end(), {p.first, p.x, p.y});
  }
  expectSame("out", out.read(), wanted);
}

void sharedMemory(Run &run) {
  auto out = run.zeros<float>(256);
  run.launch("in_shared_memory", out);
  Floats wanted;
  for (int i = 0; i < 128; ++i) {
    const int lane = i % 64, other = i - lane + 63 - lane;
    wanted.insert(wanted.end(), {float(other - 2 * other), float(lane ^ 1)});
  }
  expectSame("out", out.read(), wanted);
}

void ofTheKernel(Run &run) {
  auto stream = run.device.defaultStream();
  int32_t first = 0;
  Vec2 second{};
  run.program.kernel("of_the_kernel").callInto(stream, std::tie(first, second), int32_t(100));
  expectSame("first", 0, first, 4950);
  expectSame("second", 0, second[0], 0.5f);
  expectSame("second", 1, second[1], 100.0f);
  run.program.kernel("of_the_kernel").callInto(stream, std::tie(first, second), int32_t(1200));
  expectSame("swapped", 0, first, 1200);
  expectSame("swapped", 1, second[1], 719400.0f);
}

void byValue(Run &run) {
  auto out = run.zeros<int32_t>(4);
  // `t.spin`, which the kernel never reads, is not an argument.
  run.launch("by_value", Vec2i{{1, 2}}, Vec2i{{4, 7}}, Vec2i{{0, -1}}, Vec2i{{10, 20}}, 2.5f,
             int8_t(-9), out);
  expectSame("out", out.read(), Ints{15, 12 * 23, -9, 20});
}

void arraysOfStructs(Run &run) {
  auto first = run.array(Ints{1, 2, 3}), out = run.zeros<int32_t>(3);
  auto second = run.array(std::vector<Vec2>{{{10, 11}}, {{20, 21}}, {{30, 31}}});
  auto outs = run.array(std::vector<Vec2>(3));
  run.launch("arrays_of_pairs", first, second, out, outs);
  expectSame("first", out.read(), Ints{11, 21, 31});
  const auto got = outs.read();
  for (size_t i = 0; i < 3; ++i) {
    expectSame("second.x", i, got[i][0], float(10 * (i + 1) + 10 * (3 - i) - 1));
    expectSame("second.y", i, got[i][1], float(i + 1 + 10 * (3 - i) + 1));
  }
}

void containers(Run &run) {
  auto count = run.array(Ints{5, 6, 7});
  sextant::Array<Vec3, 2> normal(run.device, {3, 2});
  normal.clear();
  auto mass = run.array(Floats{2, 4, 8});
  run.launch("containers", count, normal, mass, 0.5f, Vec2i{{9, 3}}, Vec2i{{0, 0}}, Vec2i{{2, 5}},
             10.0f);
  expectSame("count", count.read(), Ints{7, 8, 9});
  expectSame("mass", mass.read(), Floats{41, 42, 44});
  const auto normals = normal.read();
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 2; ++j)
      for (int k = 0; k < 3; ++k)
        expectSame("normal", size_t(i * 6 + j * 3 + k), normals[size_t(2 * i + j)][k],
                   k == 0   ? 1.0f
                   : k == 1 ? float(i)
                            : float(j));

  auto other = run.array(Ints{100, 200, 300});
  run.launch("parts", Vec2i{{3, 0}}, count, other);
  expectSame("count", count.read(), Ints{103, 203, 303});
  expectSame("other", other.read(), Ints{7, 8, 9});
}

void objects(Run &run) {
  auto x = run.array(Floats{1, 2, 3, 4}), y = run.array(Floats{10, 20, 30, 40});
  auto bias = run.array(Floats{0.25f});
  run.launch("Simulation_step_add", x, bias, y, 2.0f); // 0.5 * 3 + 0.25
  expectSame("x", x.read(), Floats{22.75f, 43.75f, 64.75f, 85.75f});
  run.launch("Simulation_step_multiply", x, 0.5f, y, 4.0f); // 0.5 * 4 + 0
  expectSame("x", x.read(), Floats{495, 1830, 64.75f, 85.75f});
  auto stream = run.device.defaultStream();
  // Both instances count in one field of the class.
  expectSame("count", 0, run.program.kernel("Simulation_counted_field").call<int32_t>(stream), 6);
  auto out = run.zeros<int32_t>(3);
  run.launch("Simulation_inherited_3", out);
  expectSame("inherited", out.read(), Ints{300, 303, 306});
  auto outside = run.zeros<float>(2);
  run.launch("outside_2", x, bias, outside);
  expectSame("outside", outside.read(), Floats{-990.5f, -3660.5f});
}

/// The numbers are Python's, of enum.IntEnum and enum.IntFlag.
void enumerated(Run &run) {
  auto out = run.zeros<int32_t>(5);
  run.launch("enumerated", out);
  const auto got = out.read();
  const int32_t expected[] = {1, 8, 1, 8, 2};
  for (size_t i = 0; i < 5; ++i)
    expectSame("out", i, got[i], expected[i]);
}

} // namespace

void addStructCases(std::vector<Case> &cases) {
  cases.push_back({"structs", "enumerations that number themselves", enumerated});
  cases.push_back({"structs", "structs in fields", records});
  cases.push_back({"structs", "structs chosen and swapped", choices});
  cases.push_back({"structs", "structs in shared memory", sharedMemory});
  cases.push_back({"structs", "a struct of the kernel", ofTheKernel});
  cases.push_back({"structs", "structs by value", byValue});
  cases.push_back({"structs", "arrays of structs", arraysOfStructs});
  cases.push_back({"structs", "containers of arrays", containers});
  cases.push_back({"structs", "objects", objects});
}

} // namespace conformance
