// The derivatives of operations, as code.
#pragma once

#include "frontend/hir/Builder.h"

#include <vector>

namespace sextant::gradients {

/// The type in which derivatives by a real are kept and added: those of 16 bits in F32.
hir::Type typeOfGradient(hir::Type real);

/// Returns for each operand of a Unary, Binary, Cast or Select the product of `gradient`, which is
/// the derivative by the operation's result, and the derivative of the result by the operand; null
/// where that is 0. Operands and `result` are constants, parameters or locals, which still have the
/// values that they had then. `gradient` and what is returned have the type of their real's
/// gradients.
///
/// At places where an operation has no derivative it is one of those nearby: abs has 0 at 0, min
/// and max pass it to their second operand if both are equal, and to the one that is a number if
/// the other is NaN. A power has 0 by its exponent where the base is not above 0.
std::vector<hir::ExprRef> pullBack(const hir::Expr &operation, const hir::Expr &result,
                                   const hir::Expr &gradient);

} // namespace sextant::gradients
