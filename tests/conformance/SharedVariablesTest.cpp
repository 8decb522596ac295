// Variables of the kernel in parallel loops; see kernels/shared_variables.py.
#include "tests/conformance/Harness.h"

namespace conformance {

namespace {

using Vec3 = sextant::Vector<int32_t, 3>;

void components(Run &run) {
  for (int32_t n : {3, 300, 1000}) {
    Vec3 t, extremes;
    sextant::Vector<float, 4> v;
    run.program.kernel("components")
        .callInto(run.device.defaultStream(), std::tie(t, extremes, v), n);
    int32_t y = 6, z = 7, highest[2] = {0, -1};
    float sums[4] = {};
    for (int32_t i = 0; i < n; ++i) {
      y -= i;
      z ^= i;
      highest[i % 2] = std::max(highest[i % 2], i);
      sums[i % 4] += 0.5f;
      for (int j = 0; j < 4; ++j)
        sums[j] += float(j);
    }
    expectSame("x", size_t(n), t[0], 5 + n);
    expectSame("y", size_t(n), t[1], y);
    expectSame("z", size_t(n), t[2], z);
    expectSame("least", size_t(n), extremes[0], 8 - n);
    for (unsigned k = 0; k < 2; ++k)
      expectSame("most", k, extremes[k + 1], highest[k]);
    for (unsigned k = 0; k < 4; ++k)
      expectSame("v", k, v[k], sums[k]);
  }
}

void matrices(Run &run) {
  const int32_t n = 500;
  auto m = run.program.kernel("matrices")
               .call<sextant::Matrix<int32_t, 2, 3>>(run.device.defaultStream(), n);
  int32_t expected[2][3] = {{0, n, 0}, {1 + n, 1, 1 + 2 * n}};
  for (int32_t i = 0; i < n; ++i)
    expected[i % 2][i % 3] += i;
  for (unsigned r = 0; r < 2; ++r)
    for (unsigned c = 0; c < 3; ++c)
      expectSame("m", r * 3 + c, m(r, c), expected[r][c]);
}

void stores(Run &run) {
  auto seen = run.zeros<int32_t>(40);
  auto m = run.program.kernel("stores").call<sextant::Vector<int32_t, 40>>(
      run.device.defaultStream(), seen);
  auto read = seen.read();
  for (int32_t i = 0; i < 40; ++i) {
    int32_t expected = i % 2 == 0 ? 10 * i + 1 : -1;
    expectSame("seen", size_t(i), read[size_t(i)], expected);
    expectSame("m", size_t(i), m[unsigned(i)], expected);
  }
}

void byReference(Run &run) {
  const int32_t n = 333;
  auto pot = run.program.kernel("by_reference").call<Vec3>(run.device.defaultStream(), n);
  int32_t expected[3] = {0, 0, 100};
  for (int32_t i = 0; i < n; ++i) {
    expected[i % 3] += i;
    expected[0] += i;
    expected[1] += 1;
    expected[2] += 1;
  }
  for (unsigned k = 0; k < 3; ++k)
    expectSame("pot", k, pot[k], expected[k]);
}

void claims(Run &run) {
  const size_t n = 700;
  auto owner = run.zeros<int32_t>(n);
  sextant::Vector<int32_t, 8> slots;
  int32_t turn = 0, wins = 0;
  run.program.kernel("claims").callInto(run.device.defaultStream(), std::tie(slots, turn, wins),
                                        owner);
  auto owners = owner.read();
  std::vector<int32_t> expected(n);
  for (unsigned k = 0; k < 8; ++k) { // some thread has each slot, no other thinks that it does
    size_t i = size_t(slots[k]) - 1;
    if (slots[k] < 1 || i >= n || i % 8 != k)
      throw Mismatch{"slot " + std::to_string(k) + " holds " + std::to_string(slots[k])};
    expected[i] = 1;
  }
  expectSame("owner", owners, expected);
  expectSame("turn", 0, turn, 1);
  expectSame("wins", 0, wins, 1);
}

void inTurn(Run &run) {
  const int32_t n = 1300;
  auto bound = run.array(std::vector<int32_t>{n});
  auto out = run.zeros<int32_t>(30);
  Vec3 t;
  int32_t last = 0;
  run.program.kernel("in_turn").callInto(run.device.defaultStream(), std::tie(t, last), bound, out);
  int32_t counts[3] = {};
  for (int32_t i = 0; i < n; ++i)
    ++counts[i % 3];
  counts[0] *= 2;
  counts[2] = counts[0] + counts[1];
  auto read = out.read();
  for (size_t i = 0; i < 30; ++i)
    expectSame("out", i, read[i], counts[i % 3] + 17);
  expectSame("last", 0, last, 17);
  const int32_t expected[3] = {17, counts[1], 5};
  for (unsigned k = 0; k < 3; ++k)
    expectSame("t", k, t[k], expected[k]);
}

void own(Run &run) {
  const size_t n = 1000;
  auto values = small<int32_t>(run, n);
  auto x = run.array(values);
  auto out = run.zeros<int32_t>(n);
  run.launch("own", x, out);
  auto read = out.read();
  for (size_t k = 0; k < n; ++k) {
    int32_t i = int32_t(k), scaled = values[k] * 2, pair[2] = {scaled, i};
    if (i % 2 == 0) {
      ++scaled;
      pair[i % 4 / 2] *= 3;
    }
    expectSame("out", k, read[k], scaled * 1000 + pair[0] + pair[1] + values[k] * i);
  }
}

/// Iterations read what they stored, though the kernel reads a variable after the loop, too.
void storedFirst(Run &run) {
  const size_t n = 1000;
  auto values = small<int32_t>(run, n);
  auto x = run.array(values);
  auto out = run.zeros<int32_t>(n);
  run.launch("stored_first", x, out);
  auto read = out.read();
  for (size_t k = 0; k < n; ++k)
    expectSame("out", k, read[k], values[k] * 2002 + 7 + (k == 0 ? 7 : 0));
}

} // namespace

void addSharedVariableCases(std::vector<Case> &cases) {
  auto add = [&](const char *name, void (*body)(Run &)) {
    cases.push_back({"shared_variables", name, body});
  };
  add("components of the kernel's vectors", components);
  add("components of the kernel's matrices", matrices);
  add("stores to components", stores);
  add("components by reference", byReference);
  add("compare-and-swap on variables", claims);
  add("variables from task to task", inTurn);
  add("variables of an iteration", own);
  add("variables that each iteration stores first", storedFirst);
}

} // namespace conformance
