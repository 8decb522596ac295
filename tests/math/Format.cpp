// Bit patterns of f16, f32 and f64 as numbers.
#include "tests/math/Functions.h"

#include <cmath>
#include <cstring>
#include <stdexcept>

namespace accuracy {

const Format formats[formatCount] = {
    {"f16", 16, 11, -14, 15}, {"f32", 32, 24, -126, 127}, {"f64", 64, 53, -1022, 1023}};

const Format &formatOf(const std::string &name) {
  for (const Format &format : formats)
    if (name == format.name)
      return format;
  throw std::runtime_error("no type " + name);
}

uint64_t Format::infinity() const { return uint64_t(2 * maxExponent + 1) << (digits - 1); }

bool Format::isSubnormal(uint64_t bits) const {
  const uint64_t size = bits & (signBit() - 1);
  return size != 0 && size >> (digits - 1) == 0;
}

double Format::value(uint64_t bits) const {
  const uint64_t size = bits & (signBit() - 1);
  const uint64_t fraction = size & ((uint64_t(1) << (digits - 1)) - 1);
  const int exponent = int(size >> (digits - 1));
  double result;
  if (size >= infinity())
    result = size == infinity() ? INFINITY : NAN;
  else if (exponent == 0)
    result = std::ldexp(double(fraction), minExponent - int(digits) + 1);
  else
    result = std::ldexp(double(fraction | uint64_t(1) << (digits - 1)),
                        exponent - maxExponent - int(digits) + 1);
  return bits & signBit() ? -result : result;
}

uint64_t Format::nearest(double value) const {
  const uint64_t sign = std::signbit(value) ? signBit() : 0;
  if (std::isnan(value))
    return infinity() + 1;
  const double size = std::fabs(value);
  if (size == 0 || std::isinf(size))
    return sign | (size == 0 ? 0 : infinity());
  // In units of the last place, which carries into the exponent as it should.
  const int exponent = std::max(std::ilogb(size), minExponent);
  const double whole = std::nearbyint(std::ldexp(size, int(digits) - 1 - exponent));
  const uint64_t bits = uint64_t(whole) + (uint64_t(exponent - minExponent) << (digits - 1));
  return sign | std::min(bits, infinity());
}

} // namespace accuracy
