// Functions of compile-time values. MPFR rounds them correctly: a machine's own math library gives
// other last bits on another processor, and modules must have the same bytes everywhere.
#pragma once

#include "frontend/hir/Hir.h"

namespace sextant::sema {

/// Returns `op` of `x`, with C's results for infinities, NaNs, zeros and overflow. Returns `x` if
/// `op` is not a function of one real.
double evaluate(hir::UnaryOp op, double x);
/// `x ** y`, like C's pow.
double evaluatePower(double x, double y);
/// The angle of the point (x, y), like C's atan2.
double evaluateAtan2(double y, double x);

} // namespace sextant::sema
