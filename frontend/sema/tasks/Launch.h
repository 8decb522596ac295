// The values that the loader can compute before a launch.
#pragma once

#include "frontend/sema/Context.h"

namespace sextant::sema {

bool hostComputable(const hir::Expr &expr);

} // namespace sextant::sema
