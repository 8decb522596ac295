// Ops that work on each value for itself: arith, and the plain part of math. If the dialect leaves
// a result unspecified (a division by zero, a conversion out of range), it is some value, as in the
// other backends.
#pragma once

#include "backends/spirv/ScalarWriter.h"
#include "frontend/ir/SimtDialect.h"

namespace sextant::spirv {

/// The result of an op of arith or math, or of a multiplication of simt. 0 for other ops.
/// \param marksPrecise operations that are simt::isPrecise() become RelaxedPrecision
Id elementwise(mlir::Operation &op, Operands operands, bool marksPrecise, ScalarWriter &w);

} // namespace sextant::spirv
