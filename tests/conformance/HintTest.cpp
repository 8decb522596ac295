// Hints change no result; see kernels/hints.py.
#include "tests/conformance/Harness.h"

namespace conformance {

namespace {

constexpr size_t count = 1000;

std::vector<int32_t> someNumbers(Run &run, size_t size) {
  std::vector<int32_t> values(size);
  for (int32_t &value : values)
    value = int32_t(run.random() % 2001) - 1000;
  return values;
}

template <class T> std::vector<T> as(const std::vector<int32_t> &numbers) {
  return {numbers.begin(), numbers.end()};
}

void words(Run &run) {
  const auto numbers = someNumbers(run, count), others = someNumbers(run, count);
  auto x = run.array(as<float>(numbers));
  auto y = run.array(others);
  auto out = run.zeros<float>(count);
  auto sums = run.zeros<int32_t>(count);
  run.launch("words", x, y, out, sums);
  const auto got = out.read();
  const auto gotSums = sums.read();
  for (size_t i = 0; i < count; ++i) {
    const size_t mirror = count - 1 - i;
    expectSame("out", i, got[i], float(numbers[i] - 2 * numbers[mirror] + others[i]));
    expectSame("numbers", mirror, gotSums[mirror], others[i] * 3 + others[mirror]);
  }
}

void wide(Run &run) {
  const auto numbers = someNumbers(run, count);
  auto x = run.array(as<double>(numbers)), y = run.zeros<double>(count);
  run.launch("wide", x, y);
  const auto got = y.read();
  for (size_t i = 0; i < count; ++i)
    expectSame("y", i, got[i], double(2 * numbers[i] + numbers[0]));
}

void narrow(Run &run) {
  std::vector<uint8_t> bytes(count);
  std::vector<sextant::Half> halves(count);
  for (size_t i = 0; i < count; ++i) {
    bytes[i] = uint8_t(run.random());
    halves[i] = sextant::Half{uint16_t(run.random() % 0x7C00)}; // finite and positive
  }
  auto b = run.array(bytes);
  auto h = run.array(halves);
  auto out = run.zeros<uint8_t>(count);
  auto outHalves = run.zeros<sextant::Half>(count);
  run.launch("narrow", b, h, out, outHalves);
  const auto got = out.read();
  const auto gotHalves = outHalves.read();
  for (size_t i = 0; i < count; ++i) {
    expectSame("out", i, got[i], uint8_t(bytes[i] + bytes[0]));
    expectSame("halves", i, uint16_t(gotHalves[i].bits), uint16_t(halves[i].bits | 0x8000));
  }
}

void vectors(Run &run) {
  using Vec4 = sextant::Vector<float, 4>;
  using Vec2 = sextant::Vector<int32_t, 2>;
  constexpr size_t rows = 37, columns = 5;
  std::vector<Vec4> values(count);
  for (size_t i = 0; i < count; ++i)
    for (size_t k = 0; k < 4; ++k)
      values[i][k] = float(int32_t(run.random() % 1000));
  const auto numbers = someNumbers(run, rows * columns * 2);
  std::vector<Vec2> pairs(rows * columns);
  for (size_t i = 0; i < pairs.size(); ++i)
    pairs[i] = {numbers[2 * i], numbers[2 * i + 1]};
  auto x = run.array(values), y = run.zeros<Vec4>(count);
  auto m = run.zeros2<Vec2>(rows, columns), out = run.zeros2<Vec2>(rows, columns);
  m.write(pairs);
  run.launch("vectors", x, y, m, out);
  const auto got = y.read();
  const auto gotPairs = out.read();
  for (size_t i = 0; i < count; ++i) {
    const Vec4 &v = values[i], &w = values[count - 1 - i];
    const float wanted[4] = {v[1], w[0], v[3], w[2]};
    for (size_t k = 0; k < 4; ++k)
      expectSame("y", 4 * i + k, got[i][k], wanted[k]);
  }
  for (size_t i = 0; i < pairs.size(); ++i) {
    expectSame("out", 2 * i, gotPairs[i][0], pairs[i][1]);
    expectSame("out", 2 * i + 1, gotPairs[i][1], pairs[i][0]);
  }
}

void fields(Run &run) {
  auto out = run.zeros<int32_t>(8);
  run.launch("fields", out);
  const auto got = out.read();
  for (size_t i = 0; i < 8; ++i)
    expectSame("out", i, got[i], i % 3 == 0 ? -1 : int32_t(20 * i + 2));
}

int32_t unrolledAt(const std::vector<int32_t> &x, uint32_t i, int32_t n) {
  uint32_t s = 0;
  for (int32_t j = 0; j < n; ++j)
    s = s * 3 + uint32_t(x[(i + uint32_t(j)) % x.size()]);
  for (int32_t j = n; j > 0; j -= 2)
    s ^= uint32_t(j) * i;
  for (uint32_t j = 0; j < 7; ++j)
    s = s * 5 + j;
  // `break` leaves both axes, as it leaves one loop.
  for (int32_t j = 0, leave = 0; j < n && !leave; ++j)
    for (int32_t k = 0; k < 5 && !leave; ++k) {
      s += uint32_t(j * k);
      const int32_t rest = int32_t(s) % 97;
      if ((rest < 0 ? rest + 97 : rest) == 3)
        ++s;
      else
        leave = j * k > 40;
    }
  return int32_t(s);
}

void unrolled(Run &run) {
  const auto numbers = someNumbers(run, 301);
  auto x = run.array(numbers);
  for (int32_t n : {0, 1, 3, 4, 5, 22}) {
    auto out = run.zeros<int32_t>(numbers.size());
    run.launch("unrolled", x, n, out);
    const auto got = out.read();
    for (size_t i = 0; i < numbers.size(); ++i)
      expectSame("n = " + std::to_string(n), i, got[i], unrolledAt(numbers, uint32_t(i), n));
  }
}

} // namespace

void addHintCases(std::vector<Case> &cases) {
  cases.push_back({"hints", "words", words});
  cases.push_back({"hints", "f64", wide});
  cases.push_back({"hints", "narrow", narrow});
  cases.push_back({"hints", "vectors", vectors});
  cases.push_back({"hints", "fields", fields});
  cases.push_back({"hints", "unrolled", unrolled});
}

} // namespace conformance
