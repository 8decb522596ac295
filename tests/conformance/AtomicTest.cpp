// Code that is built on atomics: reservations, compare-and-swap loops. The operations one by one
// are generated (Surface.h).
#include "tests/conformance/Harness.h"

#include <algorithm>

namespace conformance {

namespace {

constexpr size_t count = 4096;

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

} // namespace

void addAtomicCases(std::vector<Case> &cases) {
  forIntegers([&](auto zero) {
    using T = decltype(zero);
    cases.push_back({moduleOf<T>("atomics_int"), "reservation", reserve<T>});
    cases.push_back({moduleOf<T>("atomics_int"), "compare-and-swap loop", casAdd<T>});
  });
}

} // namespace conformance
