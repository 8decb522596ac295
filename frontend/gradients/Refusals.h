// Refuses what has no derivative.
#pragma once

#include "frontend/gradients/Activity.h"
#include "frontend/gradients/Gradients.h"

namespace sextant::gradients {

/// Adds why a task's flat code cannot be run backwards: operations without a derivative, and values
/// that cannot be had again.
/// \param isOfThread tells of a gradient if each thread accesses elements of its own
void refuseBackwards(hir::Block &code, const Activity &activity, const Needed &needed,
                     const std::function<bool(const Array &)> &isOfThread,
                     std::vector<Refusal> &refusals);
/// Adds what of a task's flat code has no tangent.
void refuseForwards(hir::Block &code, const Activity &activity, std::vector<Refusal> &refusals);
/// Adds uses of arrays that are gradients of others.
void refuseUses(hir::Block &code, const hir::Draft &draft, std::vector<Refusal> &refusals);

} // namespace sextant::gradients
