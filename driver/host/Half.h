// Reals of 16 bits (IEEE 754 binary16).
#pragma once

#include <cstdint>

namespace sextant {

/// The nearest number that f16 has, of two equally near ones the even one; infinity from 65520 on.
uint16_t toHalf(double value);
float fromHalf(uint16_t bits);

} // namespace sextant
