// The values that the loader can compute before a launch.
#pragma once

#include "frontend/sema/Context.h"

namespace sextant::sema {

bool hostComputable(const hir::Expr &expr);
/// True if outside of tasks the value may stay an expression where it is used, so that loops know
/// their iterations: launches can compute it, and it is short.
bool staysExpression(const hir::Expr &expr);

} // namespace sextant::sema
