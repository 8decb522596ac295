// Atomics on arrays and shared memory.
#include "tests/conformance/Harness.h"

#include <algorithm>

namespace conformance {

namespace {

constexpr size_t count = 4096;

template <class T> void each(Run &run) {
  auto x = anyBits<T>(run, 6 * count);
  auto y = anyBits<T>(run, count);
  // Some devices' atomics flush subnormal numbers (PTX ISA, "atom": f32 in global memory).
  if constexpr (std::is_floating_point_v<T>)
    for (auto *values : {&x, &y})
      for (T &value : *values)
        if (std::fpclassify(value) == FP_SUBNORMAL)
          value = 0;
  auto target = run.zeros2<T>(6, count);
  target.write(x);
  auto operand = run.array(y);
  auto olds = run.zeros2<T>(6, count);
  run.launch("each", target, operand, olds);
  auto after = target.read(), old = olds.read();
  T (*ops[])(T, T) = {add<T>,     subtract<T>, multiply<T>,
                      minimum<T>, maximum<T>,  [](T, T b) { return b; }};
  const char *names[] = {"atomic_add", "atomic_sub", "atomic_mul",
                         "atomic_min", "atomic_max", "atomic_exchange"};
  for (size_t op = 0; op < 6; ++op)
    for (size_t i = 0; i < count; ++i) {
      size_t at = op * count + i;
      expectSame(std::string(names[op]) + " old", i, old[at], x[at]);
      T expected = ops[op](x[at], y[i]);
      if constexpr (std::is_floating_point_v<T>)
        if (std::fpclassify(expected) == FP_SUBNORMAL && after[at] == 0)
          continue;
      expectEqual(std::string(names[op]) + " new", i, after[at], expected);
    }
}

template <class T> void contend(Run &run) {
  auto y = small<T>(run, count);
  std::vector<T> signs(count, T(1));
  for (T &sign : signs)
    if (run.random() % 2)
      sign = T(-1);
  std::vector<T> start(7 * 3, T(3));
  auto target = run.zeros2<T>(7, 3);
  target.write(start);
  auto values = run.array(y);
  auto factors = run.array(signs);
  run.launch("contend", values, factors, target);
  auto got = target.read();
  for (size_t column = 0; column < 3; ++column) {
    std::vector<T> expected(7, T(3));
    for (size_t i = column; i < count; i += 3) {
      expected[0] = add(expected[0], y[i]);
      expected[1] = subtract(expected[1], y[i]);
      expected[2] = multiply(expected[2], signs[i]);
      expected[3] = minimum(expected[3], y[i]);
      expected[4] = maximum(expected[4], y[i]);
      expected[5] = add(expected[5], y[i]);
      expected[6] = subtract(expected[6], y[i]);
    }
    for (size_t row = 0; row < 7; ++row)
      expectEqual("row " + std::to_string(row), column, got[row * 3 + column], expected[row]);
  }
}

template <class T> void exchangeAll(Run &run) {
  std::vector<T> ids(count);
  for (size_t i = 0; i < count; ++i)
    ids[i] = T(i + 1);
  auto source = run.array(ids);
  auto slot = run.zeros<T>(1);
  auto got = run.zeros<T>(count);
  run.launch("exchange_all", source, slot, got);
  auto seen = got.read();
  seen.push_back(slot.read()[0]);
  std::sort(seen.begin(), seen.end());
  for (size_t i = 0; i <= count; ++i)
    expectSame("handed on", i, seen[i], T(i));
}

template <class T> void inBlock(Run &run) {
  auto y = small<T>(run, count);
  auto values = run.array(y);
  auto result = run.zeros2<T>(4, count / 128);
  run.launch("in_block", values, result);
  auto out = result.read();
  for (size_t b = 0; b < count / 128; ++b) {
    T expected[4] = {y[b * 128], y[b * 128], y[b * 128], y[b * 128]};
    for (size_t i = b * 128; i < b * 128 + 128; ++i) {
      expected[0] = add(expected[0], y[i]);
      expected[1] = minimum(expected[1], y[i]);
      expected[2] = maximum(expected[2], y[i]);
      expected[3] = subtract(expected[3], y[i]);
    }
    for (size_t row = 0; row < 4; ++row)
      expectEqual("cell " + std::to_string(row), b, out[row * (count / 128) + b], expected[row]);
  }
}

template <class T> void eachBits(Run &run) {
  auto x = anyBits<T>(run, 4 * count);
  auto y = anyBits<T>(run, count);
  for (size_t i = 0; i < count; i += 2)
    x[3 * count + i] = y[i]; // every second compare-and-swap fires
  auto target = run.zeros2<T>(4, count);
  target.write(x);
  auto operand = run.array(y);
  auto olds = run.zeros2<T>(4, count);
  run.launch("each_bits", target, operand, olds);
  auto after = target.read(), old = olds.read();
  for (size_t i = 0; i < count; ++i) {
    T before[4] = {x[i], x[count + i], x[2 * count + i], x[3 * count + i]};
    T expected[4] = {T(before[0] & y[i]), T(before[1] | y[i]), T(before[2] ^ y[i]),
                     before[3] == y[i] ? add(y[i], T(1)) : before[3]};
    for (size_t op = 0; op < 4; ++op) {
      expectSame("old " + std::to_string(op), i, old[op * count + i], before[op]);
      expectSame("new " + std::to_string(op), i, after[op * count + i], expected[op]);
    }
  }
}

template <class T> void contendBits(Run &run) {
  std::vector<T> y(count);
  for (T &value : y)
    value = T(1) << (run.random() % (8 * sizeof(T) - 1)) / 2 * 2;
  std::vector<T> expected = {T(-1), 0, 0, T(-1), 0, 0};
  auto target = run.array(expected);
  auto values = run.array(y);
  run.launch("contend_bits", values, target);
  for (T value : y) {
    expected[0] &= ~value;
    expected[1] |= value;
    expected[2] ^= value;
  }
  for (size_t i = 0; i < 3; ++i)
    expected[3 + i] = expected[i];
  expectSame("cells", target.read(), expected);
}

template <class T> void reserve(Run &run) {
  auto counter = run.zeros<T>(1);
  auto got = run.zeros<T>(count);
  run.launch("reserve", counter, got);
  auto slots = got.read();
  std::sort(slots.begin(), slots.end());
  for (size_t i = 0; i < count; ++i)
    expectSame("slots", i, slots[i], T(i));
  expectSame("counter", 0, counter.read()[0], T(count));
}

template <class T> void casAdd(Run &run) {
  auto y = small<T>(run, 512);
  auto values = run.array(y);
  auto x = run.zeros<T>(1);
  run.launch("cas_add", values, x);
  T expected = 0;
  for (T value : y)
    expected = add(expected, value);
  expectSame("sum", 0, x.read()[0], expected);
}

template <class T> void inBlockBits(Run &run) {
  auto y = anyBits<T>(run, count);
  for (T &value : y)
    value |= T(0x5500);
  auto values = run.array(y);
  auto result = run.zeros2<T>(3, count / 128);
  run.launch("in_block_bits", values, result);
  auto out = result.read();
  for (size_t b = 0; b < count / 128; ++b) {
    T expected[3] = {T(-1), 0, 0};
    for (size_t i = b * 128; i < b * 128 + 128; ++i) {
      expected[0] &= y[i];
      expected[1] |= y[i];
      expected[2] ^= y[i];
    }
    for (size_t row = 0; row < 3; ++row)
      expectSame("cell " + std::to_string(row), b, out[row * (count / 128) + b], expected[row]);
  }
}

} // namespace

void addAtomicCases(std::vector<Case> &cases) {
  forAllTypes([&](auto zero) {
    using T = decltype(zero);
    cases.push_back({moduleOf<T>("atomics"), "one an element", each<T>});
    cases.push_back({moduleOf<T>("atomics"), "contention", contend<T>});
    cases.push_back({moduleOf<T>("atomics"), "exchange loses nothing", exchangeAll<T>});
    cases.push_back({moduleOf<T>("atomics"), "shared memory", inBlock<T>});
  });
  forIntegers([&](auto zero) {
    using T = decltype(zero);
    cases.push_back({moduleOf<T>("atomics_int"), "one an element", eachBits<T>});
    cases.push_back({moduleOf<T>("atomics_int"), "contention", contendBits<T>});
    cases.push_back({moduleOf<T>("atomics_int"), "reservation", reserve<T>});
    cases.push_back({moduleOf<T>("atomics_int"), "compare-and-swap loop", casAdd<T>});
    cases.push_back({moduleOf<T>("atomics_int"), "shared memory", inBlockBits<T>});
  });
}

} // namespace conformance
