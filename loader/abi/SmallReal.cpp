#include "loader/abi/SmallReal.h"

#include <bit>
#include <cmath>
#include <limits>

namespace sextant::abi {

namespace {

/// How a type divides its bits.
struct Fields {
  unsigned width, fractionBits;
  int special; ///< the exponent field of all ones: that of infinities and NaN
  int bias;

  explicit Fields(ScalarType type)
      : width(8u * factsOf(type).bytes), fractionBits(factsOf(type).digits - 1u),
        special((1 << (width - 1 - fractionBits)) - 1), bias(special >> 1) {}
  unsigned signBit() const { return 1u << (width - 1); }
};

} // namespace

bool hasInfinity(ScalarType type) { return type != ScalarType::F8E4M3; }

uint16_t largestBitsOf(ScalarType type) {
  const Fields fields(type);
  const unsigned past = hasInfinity(type)
                            ? unsigned(fields.special) << fields.fractionBits // infinity
                            : fields.signBit() - 1;                           // the only NaN
  return static_cast<uint16_t>(past - 1);
}

uint16_t roundTo(ScalarType type, double value) {
  // One rounding, from all 52 bits: by way of f32 a number just beside the middle between two
  // neighbours would become the middle first.
  const Fields to(type);
  const unsigned dropped = 52 - to.fractionBits;
  const auto bits = std::bit_cast<uint64_t>(value);
  const auto sign = static_cast<uint16_t>(bits >> 63 ? to.signBit() : 0);
  const uint64_t fraction = bits & ((uint64_t(1) << 52) - 1);
  const int biased = static_cast<int>(bits >> 52 & 0x7ff);
  const auto infinity = static_cast<uint16_t>(to.special << to.fractionBits);
  const bool saturates = to.width == 8;
  if (std::isnan(value))
    return sign | (saturates ? 0x7f : infinity | 1 << (to.fractionBits - 1));
  if (saturates && std::fabs(value) >= double(numberOf(type, largestBitsOf(type))))
    return sign | largestBitsOf(type);
  const int exponent = biased - 1023 + to.bias;
  if (!saturates && exponent >= to.special)
    return sign | infinity;
  if (exponent < -static_cast<int>(to.fractionBits)) // less than half of the least number
    return sign;
  const bool isNormal = exponent > 0;
  const uint64_t significand = fraction | uint64_t(1) << 52;
  const unsigned shift = isNormal ? dropped : dropped + 1 + static_cast<unsigned>(-exponent);
  // The leading one of a normal number adds one to the exponent.
  uint64_t rounded = (isNormal ? static_cast<uint64_t>(exponent - 1) << to.fractionBits : 0) +
                     (significand >> shift);
  const uint64_t rest = significand & ((uint64_t(1) << shift) - 1);
  const uint64_t middle = uint64_t(1) << (shift - 1);
  if (rest > middle || (rest == middle && (rounded & 1) != 0))
    ++rounded; // may carry into the exponent, up to infinity: as rounding has it
  return static_cast<uint16_t>(sign | rounded);
}

float numberOf(ScalarType type, uint16_t bits) {
  const Fields from(type);
  const unsigned leading = 1u << from.fractionBits;
  const unsigned fraction = bits & (leading - 1);
  const int exponent = bits >> from.fractionBits & from.special;
  const int lastPlace = 1 - from.bias - static_cast<int>(from.fractionBits);
  float value = 0;
  if ((bits & (from.signBit() - 1)) > largestBitsOf(type))
    value =
        fraction ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity();
  else if (exponent == 0)
    value = std::ldexp(static_cast<float>(fraction), lastPlace);
  else
    value = std::ldexp(static_cast<float>(fraction + leading), lastPlace + exponent - 1);
  return bits & from.signBit() ? -value : value;
}

} // namespace sextant::abi
