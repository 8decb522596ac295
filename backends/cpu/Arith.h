// Ops that work on each lane for itself. Half floats are their bits, and are computed in single
// precision; divisions never trap.
#pragma once

#include "backends/cpu/LaneBuilder.h"

namespace sextant::cpu {

/// The result of an op of arith or math, or of a multiplication or conversion of simt, on scalars
/// or vectors. Null for other ops.
llvm::Value *elementwise(mlir::Operation &op, llvm::ArrayRef<llvm::Value *> operands,
                         LaneBuilder &b);

llvm::Value *halfToFloat(llvm::Value *half, LaneBuilder &b);
llvm::Value *floatToHalf(llvm::Value *single, LaneBuilder &b);

} // namespace sextant::cpu
