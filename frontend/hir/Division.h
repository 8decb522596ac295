// Divisions by numbers that launches know. The loader makes multiplications of them
// (abi::Division).
#pragma once

#include "frontend/hir/Draft.h"

namespace sextant::hir {

/// True for arithmetic on constants and parameters: launches know the value.
bool isOfLaunch(const Expr &expr);
/// True if the loader has enough stack for it.
bool isLaunchable(const LaunchExpr &launch);

/// Returns a number below 2^31 over the divisor, by values that the loader computes for each
/// launch: hidden buffers of the draft. Null: the divisor is too long for that.
/// \param number of u32, or what has its values
ExprRef makeQuotient(Draft &draft, const ExprRef &number, const LaunchExpr &divisor, Loc at);

} // namespace sextant::hir
