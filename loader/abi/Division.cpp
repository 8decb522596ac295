// The multiplier is 2^(31 + shift) / divisor, rounded up past it, where 2^shift is the least power
// of two that is no less than the divisor. So it has 32 bits.
//
// It is right for all n below 2^31: with m * d = 2^(31 + s) + e, and e from 1 to d, the product
// n * m / 2^(31 + s) is n / d + n * e / (d * 2^(31 + s)). The second term is less than 1 / d, since
// n < 2^31 and e <= d <= 2^s, and so does not reach the next integer.
#include "loader/abi/Division.h"

#include <bit>

namespace sextant::abi {

Division divisionBy(int64_t divisor) {
  const uint64_t d = divisor < 1 || divisor > INT32_MAX ? 1 : static_cast<uint64_t>(divisor);
  const auto shift = static_cast<uint32_t>(std::bit_width(d - 1));
  return {static_cast<uint32_t>((uint64_t(1) << (31 + shift)) / d + 1), shift};
}

} // namespace sextant::abi
