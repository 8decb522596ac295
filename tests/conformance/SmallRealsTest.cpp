// bf16, f8e4m3 and f8e5m2 (kernels/small_reals.py) beside the host's doubles, which hold each of
// their numbers and whose results, rounded once more, are the nearest: 53 bits are more than twice
// 8 and two.
#include "tests/conformance/Surface.h"

#include <array>

namespace conformance {

namespace {

template <class T> constexpr size_t every = size_t(1) << (8 * sizeof(T));
template <class T> T fromBits(size_t bits) { return {decltype(T::bits)(bits)}; }

template <class T> std::vector<T> allNumbers() {
  std::vector<T> values(every<T>);
  for (size_t i = 0; i < every<T>; ++i)
    values[i] = fromBits<T>(i);
  return values;
}

/// Operands of a middling size, and now and then a special one; of 8 bits any.
template <class T> std::vector<T> operands(Run &run, size_t count) {
  static constexpr uint16_t special[] = {0x0000, 0x8000, 0x7F80, 0xFF80, 0x7FC0, 0x3F80};
  std::vector<T> values(count);
  for (T &value : values) {
    const uint64_t bits = run.random();
    const auto exponent = uint16_t(127 - 20 + bits % 40);
    if (sizeof(T) == 1)
      value = fromBits<T>(bits >> 48);
    else if (bits >> 32 & 7)
      value = fromBits<T>((bits >> 48 & 0x807F) | exponent << 7);
    else
      value = fromBits<T>(special[bits >> 40 & 0xFF ? (bits >> 40) % 6 : 0]);
  }
  return values;
}

/// Equal bits; any NaN equals any other.
template <class T> void expectNearest(const std::string &what, size_t i, T got, double expected) {
  const T nearest = rounded<T>(expected);
  if (std::isnan(expected) ? !std::isnan(toDouble(got)) : got != nearest)
    throw Mismatch{what + "[" + std::to_string(i) + "] is " + show(toDouble(got)) + ", expected " +
                   show(toDouble(nearest))};
}

/// A value that is moved and not computed stays as it is, an infinity of 8 bits too.
template <class T> void expectMoved(const std::string &what, size_t i, T got, double expected) {
  expectSame(what, i, toDouble(got), expected);
}

//===--- Conversions -------------------------------------------------------===//

template <class T> void widen(Run &run) {
  auto x = run.array(allNumbers<T>());
  auto result = run.zeros<float>(every<T>);
  run.launch("widen", x, result);
  const auto out = result.read();
  for (size_t i = 0; i < every<T>; ++i)
    expectSame("widen", i, out[i], float(toDouble(fromBits<T>(i))));
}

/// Each number, the middle above it, and what lies just beside the middle; and any f32.
template <class T> void narrowF32(Run &run) {
  std::vector<float> values = {INFINITY, -INFINITY, NAN,    1e-45f, -1e-40f, 3e38f,
                               448.5f,   -464,      480.0f, 61439,  -61440,  65536};
  for (size_t i = 0; i < every<T>; ++i) {
    const double low = toDouble(fromBits<T>(i)), high = toDouble(fromBits<T>((i + 1) % every<T>));
    const auto middle = float(low + (high - low) / 2);
    for (float value :
         {float(low), middle, std::nextafter(middle, INFINITY), std::nextafter(middle, -INFINITY)})
      values.push_back(value);
  }
  for (float value : anyBits<float>(run, 20000))
    values.push_back(value);
  auto x = run.array(values);
  auto result = run.zeros<T>(values.size());
  run.launch("narrow", x, result);
  const auto out = result.read();
  for (size_t i = 0; i < values.size(); ++i)
    if (!run.flushes || std::fpclassify(values[i]) != FP_SUBNORMAL)
      expectNearest("narrow " + show(values[i]), i, out[i], values[i]);
}

template <class T> void narrowF16(Run &run) {
  std::vector<Half> values(every<Half>);
  for (size_t i = 0; i < every<Half>; ++i)
    values[i].bits = uint16_t(i);
  auto x = run.array(values);
  auto result = run.zeros<T>(every<Half>);
  run.launch("narrow_f16", x, result);
  const auto out = result.read();
  for (size_t i = 0; i < every<Half>; ++i)
    if (!run.flushes || (i & 0x7C00) != 0)
      expectNearest("narrow f16", i, out[i], toDouble(values[i]));
}

/// Middles, and what is so near to them that f32 would take it for the middle.
template <class T> void narrowF64(Run &run) {
  std::vector<double> values;
  const size_t first = sizeof(T) == 1 ? 0 : 0x0100, step = sizeof(T) == 1 ? 1 : 3;
  for (size_t i = first; i < every<T> / 2; i += step) {
    const double low = toDouble(fromBits<T>(i)), high = toDouble(fromBits<T>(i + 1));
    if (!std::isfinite(low))
      continue;
    const double middle = std::isfinite(high) ? low + (high - low) / 2 : low * (1 + 0x1p-9);
    for (double value : {low, middle, std::nextafter(middle, 0.0), std::nextafter(middle, 1e300)})
      values.push_back(i % 2 ? value : -value);
  }
  for (double value :
       {1e300, -1e300, 3.3961e38, 3.3962e38, double(INFINITY), double(NAN), 0.0, -0.0})
    values.push_back(value);
  auto x = run.array(values);
  auto result = run.zeros<T>(values.size());
  auto again = run.zeros<double>(values.size());
  run.launch("narrow_f64", x, result, again);
  const auto out = result.read();
  const auto back = again.read();
  for (size_t i = 0; i < values.size(); ++i) {
    expectNearest("narrow f64 " + show(values[i]), i, out[i], values[i]);
    expectSame("back to f64", i, back[i], toDouble(out[i]));
  }
}

/// `value` rounded as long double, which holds every integer of 64 bits, would be.
template <class T> double integersNearest(long double value) {
  int exponent = 0;
  std::frexp(value, &exponent);
  const int unit = std::max(exponent - fractionBits<T> - 1, 0);
  return double(std::ldexp(std::nearbyint(std::ldexp(value, -unit)), unit));
}

template <class T, class From> void narrowInteger(Run &run) {
  std::vector<From> values = anyBits<From>(run, 2000);
  using Limits = std::numeric_limits<From>;
  for (From value : {Limits::min(), Limits::max(), From(255), From(257), From(258), From(259)})
    values.push_back(value);
  for (int small = -500; small < 500; ++small)
    values.push_back(From(small));
  // Middles of one digit more than the type has, and one beside them.
  const int digits = fractionBits<T> + 1;
  for (int place = digits + 1; place < Limits::digits; ++place) {
    const auto middle =
        From((From((1 << digits) + 1) << (place - digits)) | From(From(1) << (place - digits - 1)));
    for (From value : {middle, From(middle - 1), From(middle + 1)})
      values.push_back(value);
  }
  auto x = run.array(values);
  auto result = run.zeros<T>(values.size());
  const std::string name = (Limits::is_signed ? "i" : "u") + std::to_string(8 * sizeof(From));
  run.launch("narrow_" + name, x, result);
  const auto out = result.read();
  for (size_t i = 0; i < values.size(); ++i)
    expectNearest(name, i, out[i], integersNearest<T>((long double)(values[i])));
}

template <class T> void toIntegers(Run &run) {
  std::vector<T> values = operands<T>(run, 2000);
  for (T &value : values)
    if (!(std::fabs(toDouble(value)) < 1e6))
      value = rounded<T>(-3.75);
  auto x = run.array(values);
  auto wide = run.zeros<int64_t>(values.size());
  auto byte = run.zeros<uint8_t>(values.size());
  sextant::Array<bool> truth(run.device, int64_t(values.size()));
  run.launch("integers", x, wide, byte, truth);
  const auto w = wide.read();
  const auto b = byte.read();
  const auto t = truth.read();
  for (size_t i = 0; i < values.size(); ++i) {
    const auto whole = int64_t(toDouble(values[i]));
    expectSame("i64", i, w[i], whole);
    expectSame("u8", i, b[i], uint8_t(std::clamp<int64_t>(whole, 0, 255)));
    expectSame("u1", i, t[i], uint8_t(toDouble(values[i]) != 0));
  }
}

//===--- Arithmetic --------------------------------------------------------===//

/// All pairs of 8 bits, some of 16.
template <class T> void binary(Run &run) {
  const size_t count = sizeof(T) == 1 ? every<T> * every<T> : 20000;
  auto a = operands<T>(run, count), b = operands<T>(run, count);
  for (size_t i = 0; sizeof(T) == 1 && i < count; ++i) {
    a[i] = fromBits<T>(i / every<T>);
    b[i] = fromBits<T>(i % every<T>);
  }
  auto x = run.array(a), y = run.array(b);
  auto result = run.zeros2<T>(8, count);
  run.launch("binary", x, y, result);
  const auto out = result.read();
  for (size_t i = 0; i < count; ++i) {
    const double p = toDouble(a[i]), q = toDouble(b[i]);
    const std::array expected = {
        p + q,           p - q,           p * q,         p / q,
        std::fmin(p, q), std::fmax(p, q), p < q ? q : p, p == q ? 1.0 : 0.0};
    for (size_t row = 0; row < expected.size(); ++row) {
      const T got = out[row * count + i];
      const bool isExtreme = row == 4 || row == 5; // either of zeros
      const std::string what = "row " + std::to_string(row) + " of " + show(p) + ", " + show(q);
      if (row == 6)
        expectMoved(what, i, got, expected[row]);
      else if (!isExtreme || p != 0 || q != 0)
        expectNearest(what, i, got, expected[row]);
    }
  }
}

template <class T> void unary(Run &run) {
  const size_t count = 20000;
  const auto a = operands<T>(run, count);
  auto x = run.array(a);
  auto result = run.zeros2<T>(8, count);
  run.launch("unary", x, result);
  const auto out = result.read();
  for (size_t i = 0; i < count; ++i) {
    const double p = toDouble(a[i]);
    const double tenth = float(p) * 0.1f; // a literal is an f32, and so is the product
    const std::array expected = {-p,    std::fabs(p), std::sqrt(p),   std::floor(p),
                                 tenth, p * p,        double(p == 0), p + p};
    for (size_t row = 0; row < expected.size(); ++row) {
      const std::string what = "row " + std::to_string(row) + " of " + show(p);
      if (row == 2) { // GPUs' roots of f32 may be one place off, which may be the middle
        const double got = toDouble(out[row * count + i]);
        const double half = std::ldexp(1.0 + 0x1p-8, -fractionBits<T> - 1);
        if (std::fabs(got - expected[row]) <= std::fabs(expected[row]) * half)
          continue;
      }
      if (row < 2)
        expectMoved(what, i, out[row * count + i], expected[row]);
      else
        expectNearest(what, i, out[row * count + i], expected[row]);
    }
  }
}

/// Whole numbers, whose quotients f32 finds.
template <class T> void whole(Run &run) {
  std::vector<T> a, b;
  for (int p = -40; p <= 40; ++p)
    for (int q : {-7, -3, -1, 1, 2, 5, 16}) {
      a.push_back(rounded<T>(p));
      b.push_back(rounded<T>(q));
    }
  auto x = run.array(a), y = run.array(b);
  auto result = run.zeros2<T>(2, a.size());
  run.launch("whole", x, y, result);
  const auto out = result.read();
  for (size_t i = 0; i < a.size(); ++i) {
    const double p = toDouble(a[i]), q = toDouble(b[i]), quotient = std::floor(p / q);
    expectEqual("//", i, toDouble(out[i]), toDouble(rounded<T>(quotient)));
    expectEqual("%", i, toDouble(out[a.size() + i]), toDouble(rounded<T>(p - quotient * q)));
  }
}

/// Beside f16 a bf16 is f32, and one of 8 bits f16; beside f32 f32, beside an integer as it is.
template <class T> void promoted(Run &run) {
  const std::vector<T> small = {rounded<T>(1.5), rounded<T>(256), rounded<T>(-0.0078125)};
  const std::vector<double> halves = {0.0009765625, 1, 3}, floats = {0x1p-20, 1, 3},
                            integers = {257, 3, -2};
  std::vector<Half> h;
  for (double each : halves)
    h.push_back(toHalf(each));
  auto x = run.array(small);
  auto hs = run.array(h);
  auto f = run.array(std::vector<float>(floats.begin(), floats.end()));
  auto n = run.array(std::vector<int32_t>(integers.begin(), integers.end()));
  auto result = run.zeros2<float>(3, small.size());
  run.launch("promoted", x, hs, f, n, result);
  const auto out = result.read();
  for (size_t i = 0; i < small.size(); ++i) {
    const double value = toDouble(small[i]), sum = value + halves[i];
    const double factor = toDouble(rounded<T>(integers[i]));
    expectSame("+ f16", i, out[i], float(sizeof(T) == 1 ? toDouble(toHalf(sum)) : sum));
    expectSame("+ f32", i, out[3 + i], float(value) + float(floats[i]));
    expectSame("* i32", i, out[6 + i], float(toDouble(rounded<T>(value * factor))));
  }
}

//===--- Where values can be -----------------------------------------------===//

template <class T> void places(Run &run) {
  std::vector<T> values(64);
  for (size_t i = 0; i < 64; ++i)
    values[i] = rounded<T>(double(i) - 20.5);
  auto x = run.array(values);
  const sextant::Vector<T, 2> v = {{rounded<T>(7.25), rounded<T>(-3)}};
  sextant::Array<sextant::Vector<T, 3>> result(run.device, 64);
  const auto total = run.program.kernel("places").call<T>(run.device.defaultStream(), x,
                                                          rounded<T>(0.5), v, result);
  const auto out = result.read();
  for (size_t i = 0; i < 64; ++i) {
    expectNearest("shared", i, out[i][0], toDouble(values[63 - i]) * 0.5);
    expectNearest("field", i, out[i][1], toDouble(values[i]) - 3);
    expectNearest("vector", i, out[i][2], 7.25);
  }
  expectNearest("result", 0, total, 4); // 8 atomics of one, halved
}

template <class T> void bits(Run &run) {
  using Bits = decltype(T::bits);
  auto x = run.array(allNumbers<T>());
  auto result = run.zeros<Bits>(every<T>);
  auto again = run.zeros<T>(every<T>);
  run.launch("bits", x, result, again);
  const auto out = result.read();
  const auto back = again.read();
  for (size_t i = 0; i < every<T>; ++i) {
    expectSame("bits", i, out[i], Bits(i));
    expectSame("and back", i, back[i].bits, Bits(i));
  }
}

template <class T> void frexpAll(Run &run) {
  auto x = run.array(allNumbers<T>());
  auto mantissas = run.zeros<T>(every<T>);
  auto exponents = run.zeros<int32_t>(every<T>);
  run.launch("frexp", x, mantissas, exponents);
  const auto m = mantissas.read();
  const auto e = exponents.read();
  for (size_t i = 0; i < every<T>; ++i) {
    const double value = toDouble(fromBits<T>(i));
    int wanted = 0;
    const double mantissa = std::frexp(value, &wanted);
    expectNearest("frexp", i, m[i], mantissa);
    expectSame("frexp's exponent", i, e[i], std::isfinite(value) ? int32_t(wanted) : 0);
  }
}

template <class T> void kinds(Run &run) {
  auto x = run.array(allNumbers<T>());
  auto result = run.zeros2<int32_t>(2, every<T>);
  run.launch("kinds", x, result);
  const auto out = result.read();
  for (size_t i = 0; i < every<T>; ++i) {
    const double value = toDouble(fromBits<T>(i));
    expectSame("isnan", i, out[i], int32_t(std::isnan(value)));
    expectSame("isinf", i, out[every<T> + i], int32_t(std::isinf(value)));
  }
}

/// Each thread updates its neighbour's element, which shares a word with others.
template <class T> void atomics(Run &run) {
  const size_t count = 4096;
  const auto values = operands<T>(run, count), start = operands<T>(run, count);
  auto x = run.array(values), out = run.array(start);
  auto old = run.zeros<T>(count);
  run.launch("atomics", x, old, out);
  const auto was = old.read(), is = out.read();
  for (size_t i = 0; i < count; ++i) {
    const T before = start[i ^ 1];
    expectSame("the old bits", i, was[i].bits, before.bits);
    const double sum = toDouble(rounded<T>(toDouble(before) + toDouble(values[i])));
    expectNearest("after", i, is[i ^ 1], toDouble(rounded<T>(std::fmax(sum, 2))) * -3);
  }
}

template <class T> void addType(std::vector<Case> &cases, const char *type) {
  cases.push_back({type, "widen", widen<T>});
  cases.push_back({type, "narrow f32", narrowF32<T>});
  cases.push_back({type, "narrow f16", narrowF16<T>});
  cases.push_back({type, "narrow f64", narrowF64<T>});
  cases.push_back({type, "narrow i16", narrowInteger<T, int16_t>});
  cases.push_back({type, "narrow i32", narrowInteger<T, int32_t>});
  cases.push_back({type, "narrow u32", narrowInteger<T, uint32_t>});
  cases.push_back({type, "narrow i64", narrowInteger<T, int64_t>});
  cases.push_back({type, "narrow u64", narrowInteger<T, uint64_t>});
  cases.push_back({type, "to integers", toIntegers<T>});
  cases.push_back({type, "binary", binary<T>});
  cases.push_back({type, "unary", unary<T>});
  cases.push_back({type, "whole", whole<T>});
  cases.push_back({type, "promoted", promoted<T>});
  cases.push_back({type, "places", places<T>});
  cases.push_back({type, "bits", bits<T>});
  cases.push_back({type, "frexp", frexpAll<T>});
  cases.push_back({type, "kinds", kinds<T>});
  cases.push_back({type, "atomics", atomics<T>});
}

} // namespace

void addSmallRealCases(std::vector<Case> &cases) {
  addType<Bfloat16>(cases, "bf16");
  addType<Float8E4M3>(cases, "f8e4m3");
  addType<Float8E5M2>(cases, "f8e5m2");
}

} // namespace conformance
