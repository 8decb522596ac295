// Arrays that the kernel overwrites although its gradient needs what they had.
#pragma once

#include "frontend/gradients/Activity.h"
#include "frontend/gradients/Gradients.h"

#include <functional>
#include <vector>

namespace sextant::gradients {

/// Has loads of what is overwritten later, where their values are needed again, read the array as
/// it was before the kernel (Draft::before). Adds those for which the draft has no such array, or
/// which read what the kernel itself has written. Adds reads of one 16-bit element in a loop, too:
/// their gradient would add up in 16 bits.
/// \param tasks flat code, in order
/// \param isNeeded tells of a task, and a load of an array in it
void readBefore(const std::vector<hir::Block *> &tasks, const hir::Draft &draft, Activity &activity,
                const std::function<bool(size_t, const hir::Stmt &, const Array &)> &isNeeded,
                std::vector<Refusal> &refusals);

} // namespace sextant::gradients
