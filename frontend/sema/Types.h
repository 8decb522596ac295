// The scalar types: widths, ranges, promotion.
#pragma once

#include "frontend/sema/Value.h"

namespace sextant::sema {

bool isFloat(hir::Type type);
bool isSigned(hir::Type type);      ///< signed integers only
bool isUnsigned(hir::Type type);    ///< u8 to u64
bool isInteger(hir::Type type);     ///< not Bool
unsigned bitWidth(hir::Type type);  ///< of the value: Bool has 1
unsigned byteWidth(hir::Type type); ///< in memory: Bool has 1
Exact minOf(hir::Type integer);
Exact maxOf(hir::Type integer);

/// The common type of two operands: a real beats an int, then the wider, then the unsigned.
hir::Type promote(hir::Type a, hir::Type b);

/// Bits of `value` as a constant of an integer type, sign- or zero-extended.
uint64_t wrapBits(Exact value, hir::Type type);

/// The type that a name such as "f32" spells.
bool typeFromName(std::string_view name, hir::Type &type);

} // namespace sextant::sema
