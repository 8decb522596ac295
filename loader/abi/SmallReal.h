// Reals of 16 bits as numbers of the host: f16 (IEEE 754 binary16) and bf16.
#pragma once

#include "loader/abi/ScalarType.h"

namespace sextant::abi {

/// Returns the bits of the nearest number of `type`, a real of 16 bits; of two equally near ones,
/// those of the even one. A number that is too large becomes infinity. A NaN stays a NaN, and
/// becomes quiet.
uint16_t roundTo(ScalarType type, double value);

/// Returns the number that these bits of `type`, a real of 16 bits, stand for. It is exact except
/// for a NaN's payload.
float numberOf(ScalarType type, uint16_t bits);

} // namespace sextant::abi
