// bf16 (kernels/bf16.py) beside the host's doubles, which hold each of its numbers and whose
// results, rounded once more, are the nearest: 53 bits are more than twice 8 and two.
#include "tests/conformance/Surface.h"

#include <array>

namespace conformance {

namespace {

constexpr size_t every = 65536;

Bfloat16 bfloat(size_t bits) { return {uint16_t(bits)}; }

std::vector<Bfloat16> allNumbers() {
  std::vector<Bfloat16> values(every);
  for (size_t i = 0; i < every; ++i)
    values[i] = bfloat(i);
  return values;
}

/// Operands of a middling size, and now and then a special one.
std::vector<Bfloat16> operands(Run &run, size_t count) {
  static constexpr uint16_t special[] = {0x0000, 0x8000, 0x7F80, 0xFF80, 0x7FC0, 0x3F80};
  std::vector<Bfloat16> values(count);
  for (Bfloat16 &value : values) {
    const uint64_t bits = run.random();
    const auto exponent = uint16_t(127 - 20 + bits % 40);
    value = bits >> 32 & 7 ? Bfloat16{uint16_t((bits >> 48 & 0x807F) | exponent << 7)}
                           : Bfloat16{special[bits >> 40 & 0xFF ? (bits >> 40) % 6 : 0]};
  }
  return values;
}

/// Equal bits; any NaN equals any other.
void expectBfloat(const std::string &what, size_t i, Bfloat16 got, double expected) {
  const Bfloat16 nearest = toBfloat16(expected);
  if (std::isnan(expected) ? !std::isnan(toDouble(got)) : got != nearest)
    throw Mismatch{what + "[" + std::to_string(i) + "] is " + show(toDouble(got)) + ", expected " +
                   show(toDouble(nearest))};
}

//===--- Conversions -------------------------------------------------------===//

void widen(Run &run) {
  auto x = run.array(allNumbers());
  auto result = run.zeros<float>(every);
  run.launch("widen", x, result);
  const auto out = result.read();
  for (size_t i = 0; i < every; ++i)
    expectSame("widen", i, out[i], float(toDouble(bfloat(i))));
}

/// Each number, the middle above it, and what lies just beside the middle.
void narrowF32(Run &run) {
  std::vector<float> values;
  for (uint32_t top = 0; top < every; ++top)
    for (uint32_t below : {0x0000u, 0x7FFFu, 0x8000u, 0x8001u})
      values.push_back(std::bit_cast<float>(top << 16 | below));
  auto x = run.array(values);
  auto result = run.zeros<Bfloat16>(values.size());
  run.launch("narrow", x, result);
  const auto out = result.read();
  for (size_t i = 0; i < values.size(); ++i)
    expectBfloat("narrow", i, out[i], values[i]);
}

void narrowF16(Run &run) {
  std::vector<Half> values(every);
  for (size_t i = 0; i < every; ++i)
    values[i].bits = uint16_t(i);
  auto x = run.array(values);
  auto result = run.zeros<Bfloat16>(every);
  run.launch("narrow_f16", x, result);
  const auto out = result.read();
  for (size_t i = 0; i < every; ++i)
    if (!run.flushes || (i & 0x7C00) != 0) // a subnormal f16 is not a subnormal bf16
      expectBfloat("narrow f16", i, out[i], toDouble(values[i]));
}

/// Middles, and what is so near to them that f32 would take it for the middle.
void narrowF64(Run &run) {
  std::vector<double> values;
  for (uint32_t top = 0x0100; top < 0x7F80; top += 3) {
    const double low = toDouble(bfloat(top)), high = toDouble(bfloat(top + 1));
    const double middle = top + 1 == 0x7F80 ? low * (1 + 0x1p-9) : low + (high - low) / 2;
    for (double value : {low, middle, std::nextafter(middle, 0.0), std::nextafter(middle, 1e300)})
      values.push_back(top % 2 ? value : -value);
  }
  for (double value :
       {1e300, -1e300, 3.3961e38, 3.3962e38, double(INFINITY), double(NAN), 0.0, -0.0})
    values.push_back(value);
  auto x = run.array(values);
  auto result = run.zeros<Bfloat16>(values.size());
  auto again = run.zeros<double>(values.size());
  run.launch("narrow_f64", x, result, again);
  const auto out = result.read();
  const auto back = again.read();
  for (size_t i = 0; i < values.size(); ++i) {
    expectBfloat("narrow f64", i, out[i], values[i]);
    expectSame("back to f64", i, back[i], toDouble(out[i]));
  }
}

/// `value` rounded as long double, which holds every integer of 64 bits, would be.
double integersNearest(long double value) {
  int exponent = 0;
  std::frexp(value, &exponent);
  const int unit = std::max(exponent - 8, 0);
  return double(std::ldexp(std::nearbyint(std::ldexp(value, -unit)), unit));
}

template <class T> void narrowInteger(Run &run) {
  std::vector<T> values = anyBits<T>(run, 2000);
  using Limits = std::numeric_limits<T>;
  for (T value : {Limits::min(), Limits::max(), T(0), T(1), T(255), T(257), T(258), T(259)})
    values.push_back(value);
  // Middles of 9 bits, and one beside them.
  for (int place = 9; place < Limits::digits; ++place) {
    const T middle = T((T(0x101) << (place - 8)) | T(T(1) << (place - 9)));
    for (T value : {middle, T(middle - 1), T(middle + 1)})
      if (place >= 9)
        values.push_back(value);
  }
  auto x = run.array(values);
  auto result = run.zeros<Bfloat16>(values.size());
  const std::string name = (Limits::is_signed ? "i" : "u") + std::to_string(8 * sizeof(T));
  run.launch("narrow_" + name, x, result);
  const auto out = result.read();
  for (size_t i = 0; i < values.size(); ++i)
    expectBfloat(name, i, out[i], integersNearest((long double)(values[i])));
}

void toIntegers(Run &run) {
  std::vector<Bfloat16> values = operands(run, 2000);
  for (Bfloat16 &value : values)
    if (!(std::fabs(toDouble(value)) < 1e6))
      value = toBfloat16(-3.75);
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

void binary(Run &run) {
  const size_t count = 20000;
  const auto a = operands(run, count), b = operands(run, count);
  auto x = run.array(a), y = run.array(b);
  auto result = run.zeros2<Bfloat16>(8, count);
  run.launch("binary", x, y, result);
  const auto out = result.read();
  for (size_t i = 0; i < count; ++i) {
    const double p = toDouble(a[i]), q = toDouble(b[i]);
    const std::array expected = {
        p + q,           p - q,           p * q,         p / q,
        std::fmin(p, q), std::fmax(p, q), p < q ? q : p, p == q ? 1.0 : 0.0};
    for (size_t row = 0; row < expected.size(); ++row) {
      const Bfloat16 got = out[row * count + i];
      const bool isExtreme = row == 4 || row == 5; // either of zeros
      if (!isExtreme || p != 0 || q != 0)
        expectBfloat("row " + std::to_string(row) + " of " + show(p) + ", " + show(q), i, got,
                     expected[row]);
    }
  }
}

void unary(Run &run) {
  const size_t count = 20000;
  const auto a = operands(run, count);
  auto x = run.array(a);
  auto result = run.zeros2<Bfloat16>(8, count);
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
        if (std::fabs(got - expected[row]) <= std::fabs(expected[row]) * 0x1.01p-8)
          continue;
      }
      expectBfloat(what, i, out[row * count + i], expected[row]);
    }
    if (std::signbit(p) != !(out[i].bits >> 15) && p == p)
      throw Mismatch{"-(" + show(p) + ") has the wrong sign"};
  }
}

/// Whole numbers, whose quotients f32 finds.
void whole(Run &run) {
  std::vector<Bfloat16> a, b;
  for (int p = -40; p <= 40; ++p)
    for (int q : {-7, -3, -1, 1, 2, 5, 16}) {
      a.push_back(toBfloat16(p));
      b.push_back(toBfloat16(q));
    }
  auto x = run.array(a), y = run.array(b);
  auto result = run.zeros2<Bfloat16>(2, a.size());
  run.launch("whole", x, y, result);
  const auto out = result.read();
  for (size_t i = 0; i < a.size(); ++i) {
    const double p = toDouble(a[i]), q = toDouble(b[i]), quotient = std::floor(p / q);
    expectEqual("//", i, toDouble(out[i]), quotient);
    expectEqual("%", i, toDouble(out[a.size() + i]), p - quotient * q);
  }
}

/// Beside f16 and f32 the result is f32, beside an integer bf16.
void promoted(Run &run) {
  const size_t count = 3;
  auto x = run.array(std::vector{toBfloat16(1.5), toBfloat16(256), toBfloat16(-0.0078125)});
  auto h = run.array(std::vector{toHalf(0.0009765625), toHalf(1), toHalf(3)});
  auto f = run.array(std::vector<float>{0x1p-20f, 1, 3});
  auto n = run.array(std::vector<int32_t>{257, 3, -2});
  auto result = run.zeros2<float>(3, count);
  run.launch("promoted", x, h, f, n, result);
  const std::vector<float> expected = {1.5009765625f, 257, 2.9921875f, 1.5f + 0x1p-20f, 257,
                                       2.9921875f,    384, 768,        0.015625f};
  expectSame("promoted", result.read(), expected); // 257 is 256 in bf16
}

//===--- Where values can be -----------------------------------------------===//

void places(Run &run) {
  std::vector<Bfloat16> values(64);
  for (size_t i = 0; i < 64; ++i)
    values[i] = toBfloat16(double(i) - 20.5);
  auto x = run.array(values);
  const sextant::Vector<Bfloat16, 2> v = {{toBfloat16(7.25), toBfloat16(-3)}};
  sextant::Array<sextant::Vector<Bfloat16, 3>> result(run.device, 64);
  const auto total = run.program.kernel("places").call<Bfloat16>(run.device.defaultStream(), x,
                                                                 toBfloat16(0.5), v, result);
  const auto out = result.read();
  for (size_t i = 0; i < 64; ++i) {
    expectBfloat("shared", i, out[i][0], (double(63 - i) - 20.5) * 0.5);
    expectBfloat("field", i, out[i][1], double(i) - 20.5 - 3);
    expectBfloat("vector", i, out[i][2], 7.25);
  }
  expectBfloat("result", 0, total, 32); // 64 atomics of one, halved
}

void bits(Run &run) {
  auto x = run.array(allNumbers());
  auto result = run.zeros<uint16_t>(every);
  auto again = run.zeros<Bfloat16>(every);
  run.launch("bits", x, result, again);
  const auto out = result.read();
  const auto back = again.read();
  for (size_t i = 0; i < every; ++i) {
    expectSame("bits", i, out[i], uint16_t(i));
    expectSame("and back", i, back[i].bits, uint16_t(i));
  }
}

void frexpAll(Run &run) {
  auto x = run.array(allNumbers());
  auto mantissas = run.zeros<Bfloat16>(every);
  auto exponents = run.zeros<int32_t>(every);
  run.launch("frexp_bf16", x, mantissas, exponents);
  const auto m = mantissas.read();
  const auto e = exponents.read();
  for (size_t i = 0; i < every; ++i) {
    const double value = toDouble(bfloat(i));
    int wanted = 0;
    const double mantissa = std::frexp(value, &wanted);
    expectBfloat("frexp", i, m[i], mantissa);
    expectSame("frexp's exponent", i, e[i], std::isfinite(value) ? int32_t(wanted) : 0);
  }
}

} // namespace

void addBf16Cases(std::vector<Case> &cases) {
  cases.push_back({"bf16", "widen", widen});
  cases.push_back({"bf16", "narrow f32", narrowF32});
  cases.push_back({"bf16", "narrow f16", narrowF16});
  cases.push_back({"bf16", "narrow f64", narrowF64});
  cases.push_back({"bf16", "narrow i16", narrowInteger<int16_t>});
  cases.push_back({"bf16", "narrow i32", narrowInteger<int32_t>});
  cases.push_back({"bf16", "narrow u32", narrowInteger<uint32_t>});
  cases.push_back({"bf16", "narrow i64", narrowInteger<int64_t>});
  cases.push_back({"bf16", "narrow u64", narrowInteger<uint64_t>});
  cases.push_back({"bf16", "to integers", toIntegers});
  cases.push_back({"bf16", "binary", binary});
  cases.push_back({"bf16", "unary", unary});
  cases.push_back({"bf16", "whole", whole});
  cases.push_back({"bf16", "promoted", promoted});
  cases.push_back({"bf16", "places", places});
  cases.push_back({"bf16", "bits", bits});
  cases.push_back({"bf16", "frexp", frexpAll});
}

} // namespace conformance
