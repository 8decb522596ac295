#include "driver/host/Half.h"

#include <bit>
#include <cmath>
#include <limits>

namespace sextant {

uint16_t toHalf(double value) {
  // One rounding, from all 52 bits: by way of f32 a number just beside the middle between two
  // halves would become the middle first.
  constexpr unsigned dropped = 52 - 10;
  const auto bits = std::bit_cast<uint64_t>(value);
  const auto sign = static_cast<uint16_t>(bits >> 48 & 0x8000);
  const uint64_t fraction = bits & ((uint64_t(1) << 52) - 1);
  const int biased = static_cast<int>(bits >> 52 & 0x7ff);
  if (biased == 0x7ff)
    return sign | (fraction != 0 ? 0x7e00 : 0x7c00);
  const int exponent = biased - 1023 + 15;
  if (exponent >= 31)
    return sign | 0x7c00;
  if (exponent < -10) // less than half of the least subnormal number
    return sign;
  const bool isNormal = exponent > 0;
  const uint64_t significand = fraction | uint64_t(1) << 52;
  const unsigned shift = isNormal ? dropped : dropped + 1 + static_cast<unsigned>(-exponent);
  // Of a normal number the leading one counts as one more in the exponent.
  uint64_t half =
      (isNormal ? static_cast<uint64_t>(exponent - 1) << 10 : 0) + (significand >> shift);
  const uint64_t rest = significand & ((uint64_t(1) << shift) - 1), middle = uint64_t(1)
                                                                             << (shift - 1);
  if (rest > middle || (rest == middle && (half & 1) != 0))
    ++half; // may carry into the exponent, up to infinity: as rounding has it
  return static_cast<uint16_t>(sign | half);
}

float fromHalf(uint16_t bits) {
  int exponent = bits >> 10 & 31;
  float mantissa = static_cast<float>(bits & 0x3ff);
  float value = exponent == 31  ? (bits & 0x3ff ? std::numeric_limits<float>::quiet_NaN()
                                                : std::numeric_limits<float>::infinity())
                : exponent == 0 ? std::ldexp(mantissa, -24)
                                : std::ldexp(mantissa + 1024, exponent - 25);
  return bits & 0x8000 ? -value : value;
}

} // namespace sextant
