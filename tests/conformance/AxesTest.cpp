// Loops over several axes; see kernels/axes.py.
#include "tests/conformance/Harness.h"

namespace conformance {

namespace {

using Ints = std::vector<int32_t>;

/// Lengths of rows around the lanes that targets take together.
constexpr int lengths[] = {1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 37, 63, 64, 65, 100, 129};

template <unsigned N>
sextant::Array<int32_t, N> onDevice(Run &run, const Ints &values, std::array<int64_t, N> shape) {
  sextant::Array<int32_t, N> result(run.device, shape);
  result.write(values);
  return result;
}

void around(Run &run) {
  for (const int height : {1, 2, 9})
    for (const int width : lengths) {
      const Ints x = run.numbers<int32_t>(height * width, 1000);
      Ints y = run.numbers<int32_t>(height * width, 1000);
      const auto to = onDevice<2>(run, y, {height, width});
      run.launch("around", onDevice<2>(run, x, {height, width}), to);
      for (int i = 0; i < height; ++i)
        for (int j = 0; j < width; ++j) {
          int32_t &total = y[size_t(i * width + j)];
          total *= 3;
          for (int a = -1; a < 2; ++a)
            for (int b = -2; b < 2; ++b) {
              const int row = std::clamp(i + a, 0, height - 1);
              const int column = std::clamp(j + b, 0, width - 1);
              total += x[size_t(row * width + column)] * (a + 2 * b + 6);
            }
        }
      expectSame("y", to.read(), y);
    }
}

void cells(Run &run) {
  for (const auto &[planes, height] : {std::pair{1, 3}, {4, 1}, {2, 7}})
    for (const int width : lengths) {
      const Ints x = run.numbers<int32_t>(planes * height * width, 1000);
      Ints y = run.numbers<int32_t>(planes * height * width, 1000), wanted(7);
      const auto to = onDevice<3>(run, y, {planes, height, width});
      const auto counts = run.zeros<int32_t>(7);
      run.launch("cells", onDevice<3>(run, x, {planes, height, width}), to, counts);
      for (int i = 0; i < planes; ++i)
        for (int j = 0; j < height; ++j)
          for (int k = 0; k < width; ++k) {
            const auto at = size_t((i * height + j) * width + k);
            y[at] = y[at] * 3 + x[at] + i * 10000 + j * 100 + k;
            wanted[size_t(k % 7)] += (i + j + k) % 3 == 0;
          }
      expectSame("y", to.read(), y);
      expectSame("counts", counts.read(), wanted);
    }
}

void inside(Run &run) {
  for (const int height : {2, 3, 12})
    for (const int width : lengths) {
      Ints y = run.numbers<int32_t>(height * width, 1000);
      const auto to = onDevice<2>(run, y, {height, width});
      run.launch("inside", to);
      for (int i = 1; i < height - 1; ++i)
        for (int j = 2; j < width - 1; ++j)
          y[size_t(i * width + j)] += i * 1000 + j;
      expectSame("y", to.read(), y);
    }
}

void shares(Run &run) {
  for (const int count : {1, 100, 517})
    for (const int n : {1, 5, 14, 32, 100}) {
      Ints y = run.numbers<int32_t>(count, 1000);
      const auto to = run.array(y);
      run.launch("shares", to, n);
      for (int i = 0; i < count; ++i)
        y[size_t(i)] = y[size_t(i)] * 2 + i / 14 * 1000000 + i / 32 * 10000 + i / 8 % 4 * 100 +
                       i % 16 + i / n * 7 + (i & 31) * (i >> 4);
      expectSame("y", to.read(), y);
    }
}

int floorDivide(int a, int b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

void quotients(Run &run) {
  for (const int count : {1, 100, 517}) {
    const auto to = run.zeros<int32_t>(size_t(count));
    for (const int n : {-1, -5, -10, -14, -32, -100, 3, 37}) {
      Ints wanted;
      for (int i = 0; i < count; ++i)
        wanted.push_back(floorDivide(i, n) + 1000 * (i - floorDivide(i, n) * n));
      run.launch("falling", to, n);
      expectSame("y", to.read(), wanted);
    }
    Ints wanted;
    for (int i = 0; i < count; ++i)
      wanted.push_back(floorDivide(i, -(i % 7 + 8)) + 1000 * (i / (i % 5 + 3)));
    run.launch("by_others", to);
    expectSame("y", to.read(), wanted);
  }
}

} // namespace

void addAxesCases(std::vector<Case> &cases) {
  cases.push_back({"axes", "neighbours, clamped", around});
  cases.push_back({"axes", "cells and counts", cells});
  cases.push_back({"axes", "ranges that begin later", inside});
  cases.push_back({"axes", "numbers taken apart", shares});
  cases.push_back({"axes", "quotients that fall or jump", quotients});
}

} // namespace conformance
