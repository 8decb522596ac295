// Elements that only one thread of a task accesses.
#pragma once

#include "frontend/gradients/Activity.h"

namespace sextant::gradients {

/// Returns the gradients of arrays of which each thread of a task accesses elements of its own: in
/// all of their indices, the loop's axes have their places, as in `x[i]`, `x[i, j]`, `x[2 * i + 1]`
/// and, with any k, `x[i, k]`. They need no atomics.
std::set<Array> ownGradients(hir::DraftTask &task, const Activity &activity);

} // namespace sextant::gradients
