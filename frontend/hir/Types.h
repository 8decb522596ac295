// The scalar types: widths, ranges, promotion.
#pragma once

#include "frontend/hir/Hir.h"

#include <string>
#include <string_view>

namespace sextant::hir {

/// An integer that has no type yet. Arithmetic on it is checked.
using Exact = __int128;

bool isFloat(Type type);
bool isSigned(Type type);      ///< signed integers only
bool isUnsigned(Type type);    ///< u8 to u64
bool isInteger(Type type);     ///< not Bool
bool isSmallReal(Type type);   ///< has 8 or 16 bits: functions of it are computed in f32
unsigned digitsOf(Type real);  ///< bits of the significand, with the one that is not stored
bool saturates(Type real);     ///< numbers past the largest one become it: 8 bits
int maxExponentOf(Type real);  ///< the largest finite number's: 15 for f16
unsigned bitWidth(Type type);  ///< the value's: Bool has 1
unsigned byteWidth(Type type); ///< in memory: Bool has 1
/// The unsigned type of an index: U64 for 64 bits, else U32.
Type unsignedOf(Type type);
Exact minOf(Type integer);
Exact maxOf(Type integer);

/// Returns the common type of two operands: a real before an integer, then the wider type, then the
/// unsigned one.
Type promote(Type a, Type b);

/// Returns the bits of `value` as a constant of an integer type, sign- or zero-extended.
uint64_t wrapBits(Exact value, Type type);

/// Returns the real as an integer of the type: towards zero, saturated; NaN is 0.
Exact toInteger(double real, Type type);

/// Returns the integer as a real that rounds to `type` as the integer itself does.
double toReal(Exact integer, Type type);

/// Finds the type that a name such as "f32" or "float32" spells. False: there is none.
bool typeFromName(std::string_view name, Type &type);
/// Returns the short name: "f32".
std::string spell(Type type);

} // namespace sextant::hir
