// Values whose derivative is not that of the code that computes them: hir::Derived, hir::Pullback.
#pragma once

#include "frontend/hir/Draft.h"

namespace sextant::gradients {

/// Leaves their values only, once the code of the derivative is made.
void dropDerived(hir::Draft &draft);

} // namespace sextant::gradients
