// Atomics on integers of 8 and 16 bits.
#include "tests/conformance/Harness.h"

#include <algorithm>
#include <map>

namespace conformance {

namespace {

template <class T> std::string narrowModule() {
  return std::string("narrow_atomics_") + (std::is_signed_v<T> ? "i" : "u") +
         std::to_string(8 * sizeof(T));
}

template <class T> void each(Run &run) {
  const size_t n = 999, ops = 10;
  auto x = anyBits<T>(run, ops * n), y = anyBits<T>(run, n);
  for (size_t i = 0; i < n; i += 2)
    x[9 * n + i] = y[i]; // every second compare-and-swap fires
  auto target = run.zeros2<T>(ops, n), olds = run.zeros2<T>(ops, n);
  target.write(x);
  auto operand = run.array(y);
  run.launch("each", target, operand, olds);
  auto after = target.read(), old = olds.read();
  for (size_t i = 0; i < n; ++i) {
    auto at = [&](size_t op) { return x[op * n + i]; };
    T v = y[i];
    T expected[ops] = {T(at(0) + v),
                       T(at(1) - v),
                       T(at(2) * v),
                       std::min(at(3), v),
                       std::max(at(4), v),
                       T(at(5) & v),
                       T(at(6) | v),
                       T(at(7) ^ v),
                       v,
                       at(9) == v ? T(v + 1) : at(9)};
    for (size_t op = 0; op < ops; ++op) {
      expectSame("old " + std::to_string(op), i, old[op * n + i], at(op));
      expectSame("new " + std::to_string(op), i, after[op * n + i], expected[op]);
    }
  }
}

template <class T> void contend(Run &run) {
  const size_t n = 7 * 100;
  auto counts = run.zeros<T>(7), got = run.zeros<T>(n);
  auto vectors = run.zeros<sextant::Vector<T, 3>>(3);
  run.launch("contend", counts, got, vectors);
  auto slots = got.read();
  for (size_t bin = 0; bin < 7; ++bin) {
    std::vector<T> handed;
    for (size_t i = bin; i < n; i += 7)
      handed.push_back(slots[i]);
    std::sort(handed.begin(), handed.end());
    for (size_t k = 0; k < handed.size(); ++k)
      expectSame("old of " + std::to_string(bin), k, handed[k], T(k));
    expectSame("count", bin, counts.read()[bin], T(100));
  }
  std::vector<T> tally(7);
  run.program.read("tally", std::span<T>(tally));
  for (size_t bin = 0; bin < 7; ++bin)
    expectSame("field", bin, tally[bin], T(200));
  auto v = vectors.read();
  T bits = 0;
  size_t minus[3] = {};
  for (size_t i = 0; i < n; ++i) {
    bits ^= T(i);
    ++minus[i % 3];
  }
  for (unsigned k = 0; k < 3; ++k) {
    expectSame("vector", k, v[0][k], T(n * (k + 1)));
    expectSame("component", k, v[1][k], T(0 - minus[k]));
    expectSame("xor", k, v[2][k], k == 1 ? bits : T(0));
  }
}

template <class T> void inBlock(Run &run) {
  const size_t n = 640;
  auto y = anyBits<T>(run, n);
  auto out = run.zeros2<T>(n / 64, 9);
  auto values = run.array(y);
  run.launch("in_block", values, out);
  auto cells = out.read();
  for (size_t b = 0; b < n / 64; ++b) {
    const T *first = y.data() + b * 64;
    T expected[9];
    std::copy(first, first + 9, expected);
    for (size_t t = 0; t < 64; ++t) {
      T v = first[t];
      expected[0] = T(expected[0] + v);
      expected[1] = T(expected[1] - v);
      expected[2] = std::min(expected[2], v);
      expected[3] = std::max(expected[3], v);
      expected[4] &= v;
      expected[5] |= v;
      expected[6] ^= v;
      expected[7] = T(expected[7] * 3);
      expected[8] = T(expected[8] + 1);
    }
    for (size_t k = 0; k < 9; ++k)
      expectSame("block " + std::to_string(b), k, cells[b * 9 + k], expected[k]);
  }
}

template <class T> void packed(Run &run) {
  const size_t n = 4096;
  auto x = anyBits<T>(run, n);
  auto out = run.zeros<T>(n);
  run.launch("packed", run.array(x), out);
  auto cells = out.read();
  for (size_t i = 0; i < n; ++i) {
    const size_t from = i / 64 * 64 + (i + 5) % 64, lane = from % 64, row = from / 64 % 32;
    const T value = lane % 3 != row % 3 ? T(x[from] + T(lane)) : T(x[from] - 1);
    expectSame("element", i, cells[i], T(value ^ 9));
  }
}

} // namespace

void addNarrowCases(std::vector<Case> &cases) {
  auto add = [&](auto zero) {
    using T = decltype(zero);
    cases.push_back({narrowModule<T>(), "one an element", each<T>});
    cases.push_back({narrowModule<T>(), "contention", contend<T>});
    cases.push_back({narrowModule<T>(), "shared memory", inBlock<T>});
    cases.push_back({narrowModule<T>(), "large shared memory", packed<T>});
  };
  add(int8_t{});
  add(uint8_t{});
  add(int16_t{});
  add(uint16_t{});
}

} // namespace conformance
