// The derivatives of operations in which lanes exchange values.
#pragma once

#include "frontend/hir/Builder.h"

#include <functional>
#include <set>

namespace sextant::gradients {

/// The operand of a Shuffle, Reduce or Scan that other lanes get; null for other expressions.
const hir::Expr *operandOfLanes(const hir::Expr &operation);

/// Makes the code of such derivatives. All lanes that run the operation run it. Operands are
/// constants, parameters or locals, which still have the values that they had then.
///
/// Where lanes have equal values, a minimum or maximum of a reduction has the mean of their
/// derivatives, and one of a scan that of the first lane.
struct Lanes {
  std::vector<hir::Local> &locals;
  const std::function<unsigned()> &wave; ///< Draft::wave
  unsigned blockDim = 1;

  /// Appends what it needs to `code`, and returns the derivative by operandOfLanes().
  hir::ExprRef pullBack(const hir::Expr &operation, const hir::Expr &gradient,
                        hir::Block &code) const;
  /// In flat code that is going to be reversed: gives lanes their own value where a shuffle up or
  /// down has no lane to read. What they got is undefined. If it is a NaN, so are slopes by it, and
  /// the gradient of a value that nobody uses: 0 times NaN.
  /// \param active locals: those that it adds are, if what they are parts of is
  void fillEnds(hir::Block &code, std::set<unsigned> &active) const;

  /// Appends what it needs to `code`, and returns the tangent of the operation.
  /// \param tangent that of operandOfLanes()
  hir::ExprRef pushForward(const hir::Expr &operation, const hir::Expr &tangent,
                           hir::Block &code) const;
};

} // namespace sextant::gradients
