// Vectors and matrices in memory, which targets access 16 bytes at a time; see kernels/wide.py.
#include "tests/conformance/Harness.h"

namespace conformance {

namespace {

using Ints = std::vector<int32_t>;

/// Distinct numbers that every type holds.
template <class T> std::vector<T> numbered(size_t count, int factor, int modulus) {
  std::vector<T> values(count);
  for (size_t k = 0; k < count; ++k)
    values[k] = T(int(k) * factor % modulus);
  return values;
}

/// Numbers of `shape` components each, as an array of vectors or matrices.
template <class E, class T> sextant::Array<E> packed(Run &run, const std::vector<T> &scalars) {
  std::vector<E> elements(scalars.size() * sizeof(T) / sizeof(E));
  std::memcpy(elements.data(), scalars.data(), scalars.size() * sizeof(T));
  return run.array(elements);
}

template <class T, class E> std::vector<T> scalarsOf(const sextant::Array<E> &array) {
  const std::vector<E> elements = array.read();
  std::vector<T> scalars(elements.size() * sizeof(E) / sizeof(T));
  std::memcpy(scalars.data(), elements.data(), scalars.size() * sizeof(T));
  return scalars;
}

constexpr int movers = 150;

/// Where elements go, then where they come from: all of these are different.
Ints shuffled(Run &run) {
  Ints places(2 * movers);
  for (int k = 0; k < 2 * movers; ++k)
    places[size_t(k)] = k;
  std::shuffle(places.begin(), places.end(), run.random);
  return places;
}

/// The kernels' effect on an array of elements of `count` components: component k grows by
/// (k + 1) * `step`, or by `alternate` of it.
template <class T>
std::vector<T> moved(std::vector<T> values, size_t count, const Ints &to, int step,
                     bool alternates = false) {
  for (size_t i = 0; i < movers; ++i)
    for (size_t k = 0; k < count; ++k) {
      const int sign = alternates && k % 2 == 1 ? -1 : 1;
      values[size_t(to[i]) * count + k] =
          T(values[size_t(to[i + movers]) * count + k] + T(int(k + 1) * step * sign));
    }
  return values;
}

void move(Run &run) {
  const Ints to = shuffled(run);
  const size_t n = 2 * movers;
  const auto av = numbered<float>(n * 4, 7, 1009), bv = numbered<float>(n * 2, 11, 997),
             cv = numbered<float>(n * 3, 5, 991), dv = numbered<float>(n * 4, 3, 983);
  const auto ev = numbered<int32_t>(n * 8, 13, 7919);
  auto a = packed<sextant::Vector<float, 4>>(run, av);
  auto b = packed<sextant::Vector<float, 2>>(run, bv);
  auto c = packed<sextant::Vector<float, 3>>(run, cv);
  auto d = packed<sextant::Matrix<float, 2, 2>>(run, dv);
  auto e = packed<sextant::Vector<int32_t, 8>>(run, ev);
  run.launch("move", run.array(to), a, b, c, d, e);
  expectSame("a", scalarsOf<float>(a), moved(av, 4, to, 1));
  expectSame("b", scalarsOf<float>(b), moved(bv, 2, to, 1));
  expectSame("c", scalarsOf<float>(c), moved(cv, 3, to, 1));
  expectSame("d", scalarsOf<float>(d), moved(dv, 4, to, 1));
  expectSame("e", scalarsOf<int32_t>(e), moved(ev, 8, to, 1));
}

void moveNarrow(Run &run) {
  const Ints to = shuffled(run);
  const size_t n = 2 * movers;
  const auto av = numbered<uint8_t>(n * 4, 7, 1009);
  const auto bv = numbered<int16_t>(n * 4, 31, 65521);
  const auto cv = numbered<int64_t>(n * 2, 11, 997);
  auto a = packed<sextant::Vector<uint8_t, 4>>(run, av);
  auto b = packed<sextant::Vector<int16_t, 4>>(run, bv);
  auto c = packed<sextant::Vector<int64_t, 2>>(run, cv);
  run.launch("move_narrow", run.array(to), a, b, c);
  expectSame("a", scalarsOf<uint8_t>(a), moved(av, 4, to, 1));
  expectSame("b", scalarsOf<int16_t>(b), moved(bv, 4, to, -1));
  expectSame("c", scalarsOf<int64_t>(c), moved(cv, 2, to, 1, true));
}

void mixed(Run &run) {
  constexpr size_t n = 133;
  const auto values = numbered<int32_t>(n * 4, 7, 1009);
  Ints which(n), wanted(n * 4);
  for (size_t i = 0; i < n; ++i) {
    which[i] = int(run.random() % 4);
    int32_t e[4];
    for (size_t k = 0; k < 4; ++k)
      e[k] = values[4 * i + k] + (int(k) == which[i] ? 7 : values[4 * i + k]);
    e[1] = -1;
    std::swap(e[0], e[3]);
    e[which[i]] = std::max(e[which[i]], 5);
    std::copy(e, e + 4, &wanted[4 * i]);
  }
  auto a = packed<sextant::Vector<int32_t, 4>>(run, values);
  auto out = packed<sextant::Vector<int32_t, 4>>(run, Ints(n * 4));
  run.launch("mixed", a, run.array(which), out);
  expectSame("a", scalarsOf<int32_t>(a), wanted);
  expectSame("out", scalarsOf<int32_t>(out), wanted);
}

void overlap(Run &run) {
  needOneMemory(run);
  constexpr int n = 77;
  auto x = packed<sextant::Vector<int32_t, 4>>(run, Ints(n * 4));
  auto out = packed<sextant::Vector<int32_t, 4>>(run, Ints(n * 4));
  run.launch("overlap", x, x, out);
  Ints wanted;
  for (int i = 0; i < n; ++i) // (200, i + 1, 100, i + 3) between
    wanted.insert(wanted.end(), {1000 * (i + 1) + i, 1000 * 100 + i + 1, 1000 * 200 + i + 2,
                                 1000 * (i + 3) + i + 3});
  expectSame("out", scalarsOf<int32_t>(out), wanted);
}

void parts(Run &run) {
  constexpr size_t n = 200;
  auto values = numbered<float>(n * 4, 7, 1009);
  auto a = packed<sextant::Vector<float, 4>>(run, values);
  run.launch("parts", a);
  for (size_t i = 0; i < n; ++i) {
    float *e = &values[4 * i];
    if (i % 3 == 0)
      std::copy(e + 2, e + 4, e);
    else if (i % 3 == 1)
      std::reverse(e, e + 4);
  }
  expectSame("a", scalarsOf<float>(a), values);
}

/// Sums of few small numbers, which are exact in any order.
void scatter(Run &run) {
  constexpr size_t n = 500, places = 9;
  Ints at(n);
  std::vector<float> a(places * 4, 1), b(places * 2, 2);
  Ints c(places * 4, 3);
  auto da = packed<sextant::Vector<float, 4>>(run, a);
  auto db = packed<sextant::Vector<float, 2>>(run, b);
  auto dc = packed<sextant::Vector<int32_t, 4>>(run, c);
  for (size_t i = 0; i < n; ++i) {
    const size_t p = run.random() % places;
    at[i] = int(p);
    const float by[4] = {1, 2, 0.5f, -1};
    for (size_t k = 0; k < 4; ++k)
      a[4 * p + k] += by[k] * float(i % 8);
    b[2 * p] += 1;
    b[2 * p + 1] -= 2;
    const int more[4] = {1, int(i), -1, 2};
    for (size_t k = 0; k < 4; ++k)
      c[4 * p + k] += more[k];
    if (i % 7 < 5) {
      const float some[4] = {4, -8, float(i % 4), 16};
      for (size_t k = 0; k < 4; ++k)
        a[4 * p + k] += some[k];
      b[2 * p] += float(i % 3);
      b[2 * p + 1] += 4;
    }
  }
  run.launch("scatter", run.array(at), da, db, dc);
  expectSame("a", scalarsOf<float>(da), a);
  expectSame("b", scalarsOf<float>(db), b);
  expectSame("c", scalarsOf<int32_t>(dc), c);
}

void neighbours(Run &run) {
  auto out = run.zeros<int32_t>(64);
  run.launch("neighbours", out);
  Ints wanted;
  for (int i = 0; i < 64; ++i) { // from 3 * j: 1 + 2 + 3 + 4 times the first, and what follows
    const int first = 12 * i, whole = 10 * first + 3 * (2 + 6 + 12), moved = whole + 30;
    wanted.push_back(whole + 1000 * moved - 300 + i);
  }
  expectSame("out", out.read(), wanted);
}

void shared(Run &run) {
  constexpr size_t n = 192;
  const auto values = numbered<int32_t>(n * 4, 7, 1009);
  auto x = packed<sextant::Vector<int32_t, 4>>(run, values);
  auto out = packed<sextant::Vector<int32_t, 4>>(run, Ints(n * 4));
  run.launch("shared", x, out);
  Ints wanted;
  for (size_t i = 0; i < n; ++i) {
    const size_t mirror = i / 64 * 64 + 63 - i % 64;
    for (size_t k = 0; k < 4; ++k)
      wanted.push_back(values[4 * mirror + k] + 10 * values[4 * mirror + k]);
  }
  expectSame("out", scalarsOf<int32_t>(out), wanted);
}

} // namespace

void addWideCases(std::vector<Case> &cases) {
  cases.push_back({"wide", "whole elements", move});
  cases.push_back({"wide", "whole elements of narrow and wide integers", moveNarrow});
  cases.push_back({"wide", "components and whole elements", mixed});
  cases.push_back({"wide", "two arguments that are one array", overlap});
  cases.push_back({"wide", "some lanes, some components", parts});
  cases.push_back({"wide", "additions of vectors", scatter});
  cases.push_back({"wide", "neighbours in fields", neighbours});
  cases.push_back({"wide", "shared arrays", shared});
}

} // namespace conformance
