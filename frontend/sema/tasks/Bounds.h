// The ranges that a parallel loop runs over.
#pragma once

#include "frontend/sema/Context.h"
#include "frontend/sema/tasks/Ranges.h"

namespace sextant::sema {

/// A parallel loop's range, once its bounds are evaluated.
struct ParallelRange {
  struct Dim {
    Range range;
    hir::Type type; ///< the type of the index
    ExprRef extent; ///< its iterations, if there are any: of i32, or unsigned in strided loops
  };
  std::vector<Dim> dims;
  std::optional<Exact> constant;         ///< the number of all iterations
  std::optional<hir::LaunchExpr> launch; ///< the same, for the host
  ExprRef total; ///< the same, if there are any: of i32, or unsigned and also 0 in strided loops
  /// The threads of a grid of any size stride over the iterations. Otherwise each thread has one.
  bool isStrided = false;
};

/// The product of two operands of one type.
ExprRef mul(ExprRef a, ExprRef b, SourceRange at);

/// Returns false after an error.
bool evaluateBounds(Context &cx, const Value &range, ParallelRange &all, SourceRange at);

} // namespace sextant::sema
