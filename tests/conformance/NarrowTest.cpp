// Atomics on elements of 8 and 16 bits: integers and halves.
#include "tests/conformance/Harness.h"

#include <algorithm>
#include <map>

namespace conformance {

namespace {

using sextant::Half;

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

//===--- Halves ------------------------------------------------------------===//

/// Whole numbers up to 2048, which a half holds exactly.
Half toHalf(int value) {
  if (value == 0)
    return {};
  unsigned magnitude = unsigned(std::abs(value)), top = unsigned(std::bit_width(magnitude)) - 1;
  unsigned fraction = (magnitude << 10 >> top) & 0x3FF;
  return {uint16_t((value < 0 ? 0x8000u : 0u) | (top + 15) << 10 | fraction)};
}

std::vector<Half> toHalves(const std::vector<int32_t> &values) {
  std::vector<Half> result;
  for (int32_t value : values)
    result.push_back(toHalf(value));
  return result;
}

void halfEach(Run &run) {
  const size_t n = 777, ops = 6;
  auto x = small<int32_t>(run, ops * n, 40), y = small<int32_t>(run, n, 40);
  auto target = run.zeros2<Half>(ops, n), olds = run.zeros2<Half>(ops, n);
  target.write(toHalves(x));
  auto operand = run.array(toHalves(y));
  run.launch("each", target, operand, olds);
  auto after = target.read(), old = olds.read();
  for (size_t i = 0; i < n; ++i) {
    auto at = [&](size_t op) { return x[op * n + i]; };
    int expected[ops] = {at(0) + y[i],          at(1) - y[i],          at(2) * y[i],
                         std::min(at(3), y[i]), std::max(at(4), y[i]), y[i]};
    for (size_t op = 0; op < ops; ++op) {
      expectSame("old " + std::to_string(op), i, old[op * n + i].bits, toHalf(at(op)).bits);
      // The sign of a zero that a product or a difference yields is not the point here.
      uint16_t got = after[op * n + i].bits, wanted = toHalf(expected[op]).bits;
      expectSame("new " + std::to_string(op), i, uint16_t(got == 0x8000 ? 0 : got), wanted);
    }
  }
}

void halfContend(Run &run) {
  const int n = 900;
  auto sums = run.zeros<Half>(3), slot = run.zeros<Half>(1), got = run.zeros<Half>(n);
  auto vectors = run.zeros<sextant::Vector<Half, 2>>(1);
  run.launch("contend", sums, slot, got, vectors);
  std::vector<Half> tally(3);
  run.program.read("tally", std::span<Half>(tally));
  for (size_t k = 0; k < 3; ++k) {
    expectSame("sum", k, sums.read()[k].bits, toHalf(n / 3).bits);
    expectSame("field", k, tally[k].bits, toHalf(-n / 3).bits);
  }
  std::vector<uint16_t> seen, all;
  for (Half value : got.read())
    seen.push_back(value.bits);
  seen.push_back(slot.read()[0].bits);
  for (int i = 0; i <= n; ++i)
    all.push_back(toHalf(i).bits);
  std::sort(seen.begin(), seen.end());
  std::sort(all.begin(), all.end());
  expectSame("exchanged", seen, all);
  expectSame("x", 0, vectors.read()[0][0].bits, toHalf(n).bits);
  expectSame("y", 0, vectors.read()[0][1].bits, toHalf(2 * n).bits);
}

void halfInBlock(Run &run) {
  const size_t n = 320, row = 5 + 64;
  auto y = small<int32_t>(run, n, 15);
  auto result = run.zeros2<Half>(n / 64, row);
  auto values = run.array(toHalves(y));
  run.launch("in_block", values, result);
  auto out = result.read();
  for (size_t b = 0; b < n / 64; ++b) {
    int sum = 1, least = 1, most = 1;
    for (size_t t = 0; t < 64; ++t) {
      sum += y[b * 64 + t];
      least = std::min(least, y[b * 64 + t]);
      most = std::max(most, y[b * 64 + t]);
    }
    const Half *cells = out.data() + b * row;
    expectSame("sum", b, cells[0].bits, toHalf(sum).bits);
    expectSame("min", b, cells[1].bits, toHalf(least).bits);
    expectSame("max", b, cells[2].bits, toHalf(most).bits);
    expectSame("product", b, cells[3].bits, toHalf(64).bits);
    std::vector<uint16_t> seen = {cells[4].bits}, all;
    for (size_t t = 0; t < 64; ++t)
      seen.push_back(cells[5 + t].bits);
    for (int k = 1; k <= 65; ++k)
      all.push_back(toHalf(k).bits);
    std::sort(seen.begin(), seen.end());
    std::sort(all.begin(), all.end());
    expectSame("exchanged", seen, all);
  }
}

} // namespace

void addNarrowCases(std::vector<Case> &cases) {
  auto add = [&](auto zero) {
    using T = decltype(zero);
    cases.push_back({narrowModule<T>(), "one an element", each<T>});
    cases.push_back({narrowModule<T>(), "contention", contend<T>});
    cases.push_back({narrowModule<T>(), "shared memory", inBlock<T>});
  };
  add(int8_t{});
  add(uint8_t{});
  add(int16_t{});
  add(uint16_t{});
  cases.push_back({"half_atomics", "one an element", halfEach});
  cases.push_back({"half_atomics", "contention", halfContend});
  cases.push_back({"half_atomics", "shared memory", halfInBlock});
}

} // namespace conformance
