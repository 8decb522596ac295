// Atomics on reals, halves among them: arithmetic on NaN, infinities and zeros, contention on
// neighbours, shared memory. Numbers are small and whole, so that sums are exact in each type.
#include "tests/conformance/Harness.h"

#include <algorithm>

namespace conformance {

namespace {

using sextant::Half;

constexpr double nan = std::numeric_limits<double>::quiet_NaN(),
                 infinity = std::numeric_limits<double>::infinity();

/// A half takes whole numbers up to 2048, infinities and NaN.
template <class T> T encode(double value) {
  if constexpr (std::is_same_v<T, Half>) {
    const unsigned sign = std::signbit(value) ? 0x8000 : 0;
    if (value != value)
      return {uint16_t(sign | 0x7E00)};
    if (std::isinf(value))
      return {uint16_t(sign | 0x7C00)};
    const auto magnitude = unsigned(std::fabs(value));
    if (magnitude == 0)
      return {uint16_t(sign)};
    const unsigned top = unsigned(std::bit_width(magnitude)) - 1;
    return {uint16_t(sign | (top + 15) << 10 | ((magnitude << 10 >> top) & 0x3FF))};
  } else {
    return T(value);
  }
}

template <class T> double decode(T value) {
  if constexpr (std::is_same_v<T, Half>) {
    const int exponent = value.bits >> 10 & 31, fraction = value.bits & 0x3FF;
    double magnitude = exponent == 31 ? (fraction ? nan : infinity)
                       : exponent     ? std::ldexp(1024 + fraction, exponent - 25)
                                      : std::ldexp(fraction, -24);
    return value.bits & 0x8000 ? -magnitude : magnitude;
  } else {
    return value;
  }
}

template <class T> std::vector<T> encodeAll(const std::vector<double> &values) {
  std::vector<T> result;
  for (double value : values)
    result.push_back(encode<T>(value));
  return result;
}

std::vector<double> whole(Run &run, size_t count, int range) {
  std::vector<double> values(count);
  for (double &value : values)
    value = int(run.random() % unsigned(2 * range + 1)) - range;
  return values;
}

/// With NaNs, infinities and zeros of both signs among them.
std::vector<double> anyReal(Run &run, size_t count) {
  std::vector<double> values = whole(run, count, 1000);
  const double corners[] = {nan, -nan, infinity, -infinity, 0.0, -0.0};
  for (double &value : values)
    if (run.random() % 3 == 0)
      value = corners[run.random() % 6];
  return values;
}

template <class T> void each(Run &run) {
  const size_t n = 2001;
  const std::vector<double> x = anyReal(run, n), y = anyReal(run, n);
  auto added = run.array(encodeAll<T>(x)), least = run.array(encodeAll<T>(x)),
       most = run.array(encodeAll<T>(x)), taken = run.array(encodeAll<T>(x));
  auto olds = run.template zeros2<T>(4, n);
  run.launch("each", run.array(encodeAll<T>(y)), added, least, most, taken, olds);
  auto old = olds.read(), a = added.read(), l = least.read(), m = most.read(), t = taken.read();
  for (size_t i = 0; i < n; ++i) {
    for (size_t op = 0; op < 4; ++op)
      expectSame("old " + std::to_string(op), i, decode(old[op * n + i]), x[i]);
    expectEqual("add", i, decode(a[i]), x[i] + y[i]);
    expectEqual("min", i, decode(l[i]), minimum(x[i], y[i]));
    expectEqual("max", i, decode(m[i]), maximum(x[i], y[i]));
    expectSame("exchange", i, decode(t[i]), y[i]);
  }
}

/// What cells of three hold after all of `y[begin, end)`, thread `i` on cell `i % 3`.
struct Cells {
  double added[3] = {0, 0, 0}, least[3] = {1000, 1000, 1000}, most[3] = {-1000, -1000, -1000};
  Cells(const std::vector<double> &y, size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const size_t k = (i - begin) % 3;
      added[k] += y[i];
      least[k] = std::min(least[k], y[i]);
      most[k] = std::max(most[k], y[i]);
    }
  }
};

/// Exchanges lose nothing: what they yielded and what is left are all ids and the zeros.
template <class T>
void expectHandedOn(const std::vector<T> &got, size_t begin, size_t end, std::vector<double> left) {
  for (size_t i = begin; i < end; ++i)
    left.push_back(decode(got[i]));
  std::sort(left.begin(), left.end());
  std::vector<double> expected(3, 0.0);
  for (size_t i = begin; i < end; ++i)
    expected.push_back(double(i + 1));
  expectSame("handed on", left, expected);
}

std::vector<double> idsOf(size_t count) {
  std::vector<double> ids(count);
  for (size_t i = 0; i < count; ++i)
    ids[i] = double(i + 1);
  return ids;
}

template <class T> void contend(Run &run) {
  const size_t n = 1500;
  std::vector<double> y = whole(run, n, 1); // sums in any order stay below 2048
  auto added = run.template zeros<T>(3), slots = run.template zeros<T>(3);
  auto least = run.array(encodeAll<T>({1000, 1000, 1000})),
       most = run.array(encodeAll<T>({-1000, -1000, -1000}));
  auto got = run.template zeros<T>(n);
  run.launch("contend", run.array(encodeAll<T>(y)), run.array(encodeAll<T>(idsOf(n))), added, least,
             most, slots, got);
  const Cells expected(y, 0, n);
  auto a = added.read(), l = least.read(), m = most.read(), s = slots.read();
  for (size_t k = 0; k < 3; ++k) {
    expectEqual("add", k, decode(a[k]), expected.added[k]);
    expectEqual("min", k, decode(l[k]), expected.least[k]);
    expectEqual("max", k, decode(m[k]), expected.most[k]);
  }
  expectHandedOn(got.read(), 0, n, {decode(s[0]), decode(s[1]), decode(s[2])});
}

template <class T> void inBlock(Run &run) {
  const size_t blocks = 12, n = blocks * 128;
  std::vector<double> y = whole(run, n, 20);
  auto out = run.template zeros2<T>(4, blocks * 3);
  auto got = run.template zeros<T>(n);
  run.launch("in_block", run.array(encodeAll<T>(y)), run.array(encodeAll<T>(idsOf(n))), out, got);
  auto cells = out.read(), taken = got.read();
  for (size_t b = 0; b < blocks; ++b) {
    const Cells expected(y, b * 128, b * 128 + 128);
    auto cell = [&](size_t row, size_t k) { return decode(cells[row * blocks * 3 + b * 3 + k]); };
    for (size_t k = 0; k < 3; ++k) {
      expectEqual("add", b * 3 + k, cell(0, k), expected.added[k]);
      expectEqual("min", b * 3 + k, cell(1, k), expected.least[k]);
      expectEqual("max", b * 3 + k, cell(2, k), expected.most[k]);
    }
    expectHandedOn(taken, b * 128, b * 128 + 128, {cell(3, 0), cell(3, 1), cell(3, 2)});
  }
}

template <class T> void add(std::vector<Case> &cases, const char *module) {
  cases.push_back({module, "one an element", each<T>});
  cases.push_back({module, "contention", contend<T>});
  cases.push_back({module, "shared memory", inBlock<T>});
}

} // namespace

void addAtomicRealCases(std::vector<Case> &cases) {
  add<Half>(cases, "atomics_real_f16");
  add<float>(cases, "atomics_real_f32");
  add<double>(cases, "atomics_real_f64");
}

} // namespace conformance
