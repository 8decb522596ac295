// The scalar types: widths, ranges, promotion.
#pragma once

#include "frontend/hir/Hir.h"

#include <string>
#include <string_view>

namespace sextant::hir {

/// Integers before they have a type; arithmetic on them is checked.
using Exact = __int128;

bool isFloat(Type type);
bool isSigned(Type type);      ///< signed integers only
bool isUnsigned(Type type);    ///< u8 to u64
bool isInteger(Type type);     ///< not Bool
bool isSmallReal(Type type);   ///< of 16 bits: functions of it are computed in f32
unsigned digitsOf(Type real);  ///< bits of the significand, with the one that is not stored
int maxExponentOf(Type real);  ///< of the largest finite number: 15 of f16
unsigned bitWidth(Type type);  ///< of the value: Bool has 1
unsigned byteWidth(Type type); ///< in memory: Bool has 1
Exact minOf(Type integer);
Exact maxOf(Type integer);

/// The common type of two operands: a real beats an int, then the wider, then the unsigned.
Type promote(Type a, Type b);

/// Bits of `value` as a constant of an integer type, sign- or zero-extended.
uint64_t wrapBits(Exact value, Type type);

/// The type that a name such as "f32" or "float32" spells.
bool typeFromName(std::string_view name, Type &type);
/// Its short name: "f32".
std::string spell(Type type);

} // namespace sextant::hir
