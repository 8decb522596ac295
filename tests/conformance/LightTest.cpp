// Short loops at sizes around the ends of blocks, whatever a target's blocks are; see
// kernels/light.py.
#include "tests/conformance/Harness.h"

namespace conformance {

namespace {

constexpr int32_t sizes[] = {0,   1,   2,   127, 128, 129, 255, 256,
                             257, 383, 384, 385, 511, 512, 513, 1000};

void each(Run &run) {
  for (const int32_t size : sizes) {
    auto x = run.zeros<int32_t>(1024);
    run.launch("each", x, size);
    const auto got = x.read();
    for (int32_t i = 0; i < 1024; ++i)
      expectSame("size " + std::to_string(size), size_t(i), got[size_t(i)], i < size ? i + 1 : 0);
  }
}

void stepped(Run &run) {
  for (const int32_t count : sizes)
    for (const int32_t step : {1, 3, -2}) {
      const int32_t begin = step < 0 ? 3000 : 5, end = begin + step * count;
      auto x = run.zeros<int32_t>(3072);
      run.launch("stepped", x, begin, end, step);
      std::vector<int32_t> wanted(3072);
      for (int32_t k = 0; k < count; ++k)
        wanted[size_t(begin + step * k)] = begin + step * k + 1;
      expectSame("step " + std::to_string(step), x.read(), wanted);
    }
}

void axes(Run &run) {
  for (const size_t rows : {1, 3, 255, 256})
    for (const size_t columns : {1, 2, 129, 256}) {
      auto x = run.zeros2<int32_t>(rows, columns);
      run.launch("axes", x);
      const auto got = x.read();
      for (size_t k = 0; k < got.size(); ++k)
        expectSame("axes", k, got[k], int32_t(1000 * (k / columns) + k % columns));
    }
}

void constants(Run &run) {
  auto x = run.zeros<int32_t>(1024);
  run.launch("constants", x);
  const auto got = x.read();
  for (int32_t i = 0; i < 1024; ++i)
    expectSame("x", size_t(i), got[size_t(i)], (i < 384 ? i + 1 : 0) + (i < 1000 ? 1023 - i : 0));
}

void sums(Run &run) {
  for (const int32_t size : sizes) {
    if (size == 0)
      continue;
    std::vector<int32_t> values(size_t(size), 0);
    std::vector<int32_t> wanted{0, 0, 0};
    for (int32_t &value : values) {
      value = int32_t(run.random() % 100000);
      wanted[0] += value;
      wanted[1] += value % 7 == 0;
      wanted[2] = std::max(wanted[2], value);
    }
    auto x = run.array(values);
    auto out = run.zeros<int32_t>(3);
    run.launch("sums", x, out);
    expectSame("size " + std::to_string(size), out.read(), wanted);
  }
}

void asks(Run &run) {
  auto x = run.zeros<int32_t>(1000), y = run.zeros<int32_t>(1000);
  run.launch("asks", x, y);
  const auto gotX = x.read(), gotY = y.read();
  for (int32_t i = 0; i < 1000; ++i) {
    expectSame("x", size_t(i), gotX[size_t(i)], i);
    expectSame("y", size_t(i), gotY[size_t(i)], 1000 * (i / 128 * 128) + i);
  }
}

} // namespace

void addLightCases(std::vector<Case> &cases) {
  cases.push_back({"light", "sizes", each});
  cases.push_back({"light", "steps", stepped});
  cases.push_back({"light", "axes", axes});
  cases.push_back({"light", "constants", constants});
  cases.push_back({"light", "sums", sums});
  cases.push_back({"light", "code that asks for its block", asks});
}

} // namespace conformance
