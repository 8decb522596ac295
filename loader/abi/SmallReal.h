// Reals of 16 bits as numbers of the host: f16 (IEEE 754 binary16) and its like.
#pragma once

#include "loader/abi/ScalarType.h"

namespace sextant::abi {

/// The bits of the nearest number that `type`, a real of 16 bits, has; of two equally near ones
/// those of the even one. What is too large becomes infinity; a NaN stays one, and is quiet.
uint16_t roundTo(ScalarType type, double value);

/// The number that these bits of `type`, a real of 16 bits, are: exact, but for a NaN's payload.
float numberOf(ScalarType type, uint16_t bits);

} // namespace sextant::abi
