// Functions of compile-time values. They are rounded correctly, by MPFR: a machine's own math
// library gives other last bits on another processor, and modules have the same bytes everywhere.
#pragma once

#include "frontend/hir/Hir.h"

namespace sextant::sema {

/// `op` of `x`, with C's results for infinities, NaNs, zeros and beyond the range. What is no
/// function of one real gives `x`.
double evaluate(hir::UnaryOp op, double x);
/// `x ** y` as C's pow.
double evaluatePower(double x, double y);
/// The angle of the point (x, y), as C's atan2.
double evaluateAtan2(double y, double x);

} // namespace sextant::sema
