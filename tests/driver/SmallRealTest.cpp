// Conversions to and from f16, beside values worked out by hand and by their definition.
#include "loader/abi/SmallReal.h"
#include "tests/support/Catch.h"

#include <cmath>
#include <limits>

using namespace sextant;

namespace {
constexpr uint16_t infinity = 0x7c00;
uint16_t toHalf(double value) { return abi::roundTo(abi::ScalarType::F16, value); }
float fromHalf(uint16_t bits) { return abi::numberOf(abi::ScalarType::F16, bits); }
} // namespace

TEST_CASE("f16 numbers that are known") {
  CHECK(toHalf(0.0) == 0x0000);
  CHECK(toHalf(-0.0) == 0x8000);
  CHECK(toHalf(1.0) == 0x3c00);
  CHECK(toHalf(-2.0) == 0xc000);
  CHECK(toHalf(0.333251953125) == 0x3555); // 1365/4096
  CHECK(toHalf(65504.0) == 0x7bff);
  CHECK(toHalf(0x1p-14) == 0x0400); // the least normal number
  CHECK(toHalf(0x1p-24) == 0x0001); // the least subnormal one
  CHECK(toHalf(1e300) == infinity);
  CHECK(toHalf(-std::numeric_limits<double>::infinity()) == 0xfc00);
  CHECK(toHalf(5e-324) == 0x0000);
  CHECK((toHalf(std::numeric_limits<double>::quiet_NaN()) & 0x7fff) == 0x7e00);
  CHECK(std::isnan(fromHalf(0x7e00)));
}

TEST_CASE("f64 is rounded to f16 once: f32 in between would round these twice") {
  // Just beside the middle of two halves, and nearer to it than f32 can tell.
  CHECK(toHalf(1 + 0x1p-11 + 0x1p-30) == 0x3c01);     // f32: the middle, so 1
  CHECK(toHalf(1 + 3 * 0x1p-11 - 0x1p-30) == 0x3c01); // f32: the middle, so 0x3c02
  CHECK(toHalf(65519.9999) == 0x7bff);                // f32: 65520, so infinity
  CHECK(toHalf(0x1p-25 + 0x1p-60) == 0x0001);         // f32: the middle, so 0
  CHECK(toHalf(-(0x1p-25 + 0x1p-60)) == 0x8001);
  for (const double value : {1 + 0x1p-11 + 0x1p-30, 65519.9999, 0x1p-25 + 0x1p-60})
    CHECK(toHalf(value) != toHalf(static_cast<float>(value)));
}

TEST_CASE("all of f16: each number is itself, and what is between goes to the nearer one") {
  constexpr double none = std::numeric_limits<double>::infinity();
  unsigned wrong = 0;
  for (uint16_t half = 0; half < infinity; ++half) {
    // The same number by its definition: 1024 steps of each power of two, and of 2^-14 below.
    const unsigned power = half >> 10, steps = half & 0x3ff;
    const double value = power == 0 ? steps * 0x1p-24 : std::ldexp(1024 + steps, int(power) - 25);
    wrong += fromHalf(half) != value || toHalf(value) != half || toHalf(-value) != (half | 0x8000);
    // All numbers here have few bits: the middle is exact. Beyond the last one it is infinity's.
    const double middle = value + std::ldexp(1, (power == 0 ? 1 : int(power)) - 26);
    const uint16_t even = (half & 1) != 0 ? half + 1 : half;
    wrong += toHalf(middle) != even;
    wrong += toHalf(std::nextafter(middle, 0.0)) != half;
    wrong += toHalf(std::nextafter(middle, none)) != half + 1;
  }
  CHECK(wrong == 0);
}
