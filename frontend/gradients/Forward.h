// A task's code, with a tangent beside each value.
#pragma once

#include "frontend/gradients/Activity.h"
#include "frontend/gradients/Lanes.h"

namespace sextant::gradients {

/// Returns flat code that computes, beside each active value, the derivative along the direction
/// that the tangents of the arrays are.
hir::Block forward(hir::Block &code, const Lanes &lanes, const Activity &activity);

} // namespace sextant::gradients
