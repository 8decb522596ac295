// A task's code, with a tangent beside each value.
#pragma once

#include "frontend/gradients/Activity.h"

namespace sextant::gradients {

/// Returns flat code that computes, beside each active value, the derivative along the direction
/// that the tangents of the arrays are.
hir::Block forward(hir::Block &code, std::vector<hir::Local> &locals, const Activity &activity);

} // namespace sextant::gradients
