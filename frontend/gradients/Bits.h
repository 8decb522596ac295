// Refuses reals that lose their derivative as bits.
#pragma once

#include "frontend/gradients/Activity.h"
#include "frontend/gradients/Gradients.h"

namespace sextant::gradients {

/// Adds uses of reals that come from the bits of other reals, where the derivative needs both.
/// Integers have no derivative, so there would be a zero, in silence.
void refuseBits(hir::Draft &draft, const Activity &activity, std::vector<Refusal> &refusals);

} // namespace sextant::gradients
