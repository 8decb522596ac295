// Functions with typed arguments, by value and by reference, and arrays whose indices are clamped;
// see kernels/calling.py.
#include "tests/conformance/Harness.h"

namespace conformance {

namespace {

using Ints = std::vector<int32_t>;
using Pair = sextant::Vector<float, 2>;

void references(Run &run) {
  const Ints before{10, 20, 30, 40};
  auto x = run.array(before);
  auto out = run.zeros<int32_t>(6 * before.size());
  run.launch("references", x, out);
  Ints expected;
  for (int32_t i = 0; i < int32_t(before.size()); ++i) {
    int32_t v[] = {1, 2, 3};
    const int32_t old = std::exchange(v[i % 3], 2 * before[size_t(i)] + 1);
    const int32_t taken = std::exchange(v[2], before[size_t(i)]);
    const int32_t k = 2 * (i + 1) + 1, mass = 2 * k + 10;
    const Ints row{old,      taken,     v[0] * 100 + v[1],
                   7000 + i, 2 * i + 1, i + 1 + 10 * k + 1000 * mass};
    expected.insert(expected.end(), row.begin(), row.end());
  }
  expectSame("out", out.read(), expected);
}

void values(Run &run) {
  const Ints numbers{-3, 0, 1, 3, 4, 26};
  auto x = run.array(numbers);
  auto out = run.zeros<float>(6 * numbers.size());
  auto steps = run.zeros<int32_t>(numbers.size());
  run.launch("values", x, out, steps);
  std::vector<float> expected;
  Ints expectedSteps;
  for (int32_t n : numbers) {
    const int32_t by = n + 1;
    const bool isLarge = by > 4;
    const int32_t whole = isLarge ? int32_t(float(by) * 2.75f) : by;
    const float part = isLarge ? float(by) : 0.25f * float(by);
    const std::vector<float> row{float(whole), part, float(uint8_t(int8_t(n * 100) * 2)),
                                 -500 + 3,     12,   float((5 + n) * 10 + 5)};
    expected.insert(expected.end(), row.begin(), row.end());
    int32_t count = 0;
    for (int32_t k = std::abs(n) + 1; k != 1 && count < 40; ++count)
      k = k % 2 ? 3 * k + 1 : k / 2;
    // The last of the 40 rounds may reach 1, but then no round is left to see it.
    expectedSteps.push_back((count < 40 ? count : -1) * 100 + n);
  }
  expectSame("out", out.read(), expected);
  expectSame("steps", steps.read(), expectedSteps);
}

int32_t mixed(int32_t n) {
  int32_t s = 1;
  for (int32_t i = 0; i < n; ++i)
    s = (s * 31 + i) % 65521;
  return s;
}

void atTheTop(Run &run) {
  auto out = run.zeros<int32_t>(40);
  run.launch("at_the_top", int32_t(1000), out);
  Ints expected{mixed(1000), 200103};
  for (int32_t i = 2; i < 40; ++i)
    expected.push_back(mixed(i));
  expectSame("out", out.read(), expected);
}

constexpr int32_t rows = 3, columns = 4;

sextant::Array<int32_t, 2> table(Run &run) {
  std::vector<int32_t> cells;
  for (int32_t k = 0; k < rows * columns; ++k)
    cells.push_back(100 + k);
  sextant::Array<int32_t, 2> x(run.device, {rows, columns});
  x.write(cells);
  return x;
}

void clamps(Run &run) {
  const Ints row{0, 2, 3, 1000000, -1, -2147483647 - 1, 1, 2147483647},
      column{0, 3, 4, -5, 2147483647, 1, -2147483647 - 1, 2};
  auto out = run.zeros<int32_t>(2 * row.size());
  run.launch("clamps", table(run), run.array(row), run.array(column), out);
  Ints expected;
  for (size_t i = 0; i < row.size(); ++i) {
    const int32_t r = std::clamp(row[i], 0, rows - 1), c = std::clamp(column[i], 0, columns - 1);
    expected.push_back(100 + r * columns + c);
    // As an unsigned number, a negative one is large.
    expected.push_back(100 + (row[i] < 0 ? rows - 1 : r) * columns);
  }
  expectSame("out", out.read(), expected);
}

void clampsStores(Run &run) {
  auto x = table(run);
  auto v = run.array(std::vector<Pair>{Pair{{1, 2}}, Pair{{3, 4}}});
  const Ints at{-200, -1, 0, 1, 2, 3, 4, 200};
  run.launch("clamps_stores", x, v, run.array(at));
  Ints cells = x.read();
  // -200, -1 and 0 are the first column, 3, 4 and 200 the last; 200 stores 77 in the last cell.
  expectSame("x", cells, Ints{103, 102, 103, 106, 104, 105, 106, 107, 108, 109, 110, 77});
  const std::vector<Pair> got = v.read();
  expectSame("v", 0, got[0][0], 5.0f);
  expectSame("v", 1, got[0][1], 5.0f); // 2, and one each of -200, -1 and 0
  expectSame("v", 3, got[1][0], 3.0f);
  expectSame("v", 2, got[1][1], 9.0f); // 4, and one each of 1, 2, 3, 4 and 200
}

void clampsWide(Run &run) {
  auto out = run.zeros<int32_t>(2);
  run.launch("clamps_wide", table(run), int64_t(1) << 40, uint64_t(1) << 63, out);
  expectSame("out", out.read(), Ints{108, 103});
  run.launch("clamps_wide", table(run), -(int64_t(1) << 40), uint64_t(2), out);
  expectSame("out", out.read(), Ints{100, 102});
}

} // namespace

void addCallCases(std::vector<Case> &cases) {
  cases.push_back({"calling", "references", references});
  cases.push_back({"calling", "values", values});
  cases.push_back({"calling", "real functions at the top", atTheTop});
  cases.push_back({"calling", "clamped reads", clamps});
  cases.push_back({"calling", "clamped stores", clampsStores});
  cases.push_back({"calling", "clamped indices of 64 bits", clampsWide});
}

} // namespace conformance
