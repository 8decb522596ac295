// Division by a number that a launch knows and its code does not, as a multiplication. Granlund and
// Montgomery, "Division by invariant integers using multiplication", has the idea; the proof is in
// Division.cpp.
#pragma once

#include <cstdint>

namespace sextant::abi {

/// The quotient of n, below 2^31, is `mulHigh(2 * n, multiplier) >> shift`, where mulHigh is the
/// upper half of the product of two u32.
struct Division {
  uint32_t multiplier = 0, shift = 0;
};

/// `divisor` is 1 to 2^31 - 1. For any other number the result is that of 1: where a loop has such
/// an extent, it has no iterations.
Division divisionBy(int64_t divisor);

} // namespace sextant::abi
