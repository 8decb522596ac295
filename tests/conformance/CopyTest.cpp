// Copies to shared memory that arrive later; see kernels/copies.py.
#include "tests/conformance/Harness.h"

namespace conformance {

namespace {

void rounds(Run &run) {
  constexpr size_t tile = 200;
  for (const size_t n : {size_t(1), size_t(199), size_t(200), size_t(201), size_t(1777)})
    for (const int32_t blocks : {1, 2, 5}) {
      std::vector<int32_t> numbers(n);
      for (int32_t &number : numbers)
        number = int32_t(run.random() % 100000) - 50000;
      auto out = run.array(std::vector<int32_t>(n + 2, 77));
      run.launch("rounds", run.array(numbers), out, int32_t(n), blocks);
      const auto got = out.read();
      for (size_t i = 0; i < n; ++i) {
        const size_t begin = i / tile * tile, end = std::min(begin + tile, n);
        expectSame("n = " + std::to_string(n) + ", " + std::to_string(blocks) + " blocks", i,
                   got[i], 3 * numbers[end - 1 - (i - begin)]);
      }
      expectSame("past the end", n, got[n], 77);
    }
}

constexpr size_t count = 512, blockSize = 128;

/// Where each element of a block is after the reversal.
size_t mirrored(size_t i) { return i / blockSize * blockSize + blockSize - 1 - i % blockSize; }

template <class T> void turned(Run &run, const char *kernel) {
  std::vector<T> numbers(count);
  for (T &number : numbers)
    number = T(run.random());
  auto out = run.zeros<T>(count);
  run.launch(kernel, run.array(numbers), out);
  const auto got = out.read();
  for (size_t i = 0; i < count; ++i)
    expectSame(kernel, i, got[i], numbers[mirrored(i)]);
}

void words(Run &run) { turned<int32_t>(run, "words"); }
void doubles(Run &run) { turned<int64_t>(run, "doubles"); }
void bytes(Run &run) { turned<uint8_t>(run, "bytes"); }

template <class T, int components> void turnedVectors(Run &run, const char *kernel) {
  using Element = sextant::Vector<T, components>;
  std::vector<Element> elements(count);
  for (Element &element : elements)
    for (int k = 0; k < components; ++k)
      element[size_t(k)] = T(int32_t(run.random() % 2001) - 1000);
  auto out = run.zeros<Element>(count);
  run.launch(kernel, run.array(elements), out);
  const auto got = out.read();
  for (size_t i = 0; i < count; ++i)
    for (int k = 0; k < components; ++k)
      expectSame(kernel, i * components + size_t(k), got[i][size_t(k)],
                 elements[mirrored(i)][size_t(k)]);
}

void pairs(Run &run) { turnedVectors<int32_t, 2>(run, "pairs"); }
void vectors(Run &run) { turnedVectors<float, 4>(run, "vectors"); }

} // namespace

void addCopyCases(std::vector<Case> &cases) {
  cases.push_back({"copies", "rounds", rounds});
  cases.push_back({"copies", "words", words});
  cases.push_back({"copies", "doubles", doubles});
  cases.push_back({"copies", "bytes", bytes});
  cases.push_back({"copies", "pairs", pairs});
  cases.push_back({"copies", "vectors", vectors});
}

} // namespace conformance
