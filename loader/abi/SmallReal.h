// Reals of 16 and 8 bits as numbers of the host: f16 (IEEE 754 binary16), bf16, and f8e4m3 and
// f8e5m2 (OCP 8-bit Floating Point Specification 1.0).
#pragma once

#include "loader/abi/ScalarType.h"

namespace sextant::abi {

/// Returns the bits of the nearest number of `type`, a real of at most 16 bits; of two equally near
/// ones, those of the even one. A number that is too large becomes infinity, or the largest one of
/// 8 bits, as an infinity does. A NaN stays a NaN, and becomes quiet.
uint16_t roundTo(ScalarType type, double value);

/// Returns the number that these bits of `type`, a real of at most 16 bits, stand for. It is exact
/// except for a NaN's payload.
float numberOf(ScalarType type, uint16_t bits);

/// True if some bits of `type`, a real of at most 16 bits, are an infinity: f8e4m3 has none.
bool hasInfinity(ScalarType type);
/// Returns the bits of the largest number of `type`, a real of at most 16 bits.
uint16_t largestBitsOf(ScalarType type);

} // namespace sextant::abi
