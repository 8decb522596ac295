// The operators of reductions, scans and atomics as ops of arith.
#pragma once

#include "frontend/ir/SimtDialect.h"

#include "mlir/IR/Builders.h"

namespace sextant::simt {

/// `lhs` op `rhs`. Exchange does not combine.
mlir::Value createCombine(mlir::OpBuilder &b, mlir::Location loc, CombineKind kind, mlir::Value lhs,
                          mlir::Value rhs);
/// The identity that the language shows: 0 for sums, +inf for minima of reals.
mlir::Value createIdentity(mlir::OpBuilder &b, mlir::Location loc, CombineKind kind,
                           mlir::Type type);
/// The value that changes nothing that it is combined with: -0.0 for sums of reals, NaN for minima
/// and maxima.
mlir::Value createNeutral(mlir::OpBuilder &b, mlir::Location loc, CombineKind kind,
                          mlir::Type type);

} // namespace sextant::simt
