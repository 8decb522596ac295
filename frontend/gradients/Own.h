// Elements that only one thread of a task accesses.
#pragma once

#include "frontend/gradients/Activity.h"

namespace sextant::gradients {

/// Returns the gradients of arrays of which each thread of a task accesses elements of its own: all
/// of their indices are `i`, or `i * n + k` for k < n, where `i` is the number of the thread in the
/// grid. They need no atomics.
std::set<Array> ownGradients(hir::Block &code, const Activity &activity);

} // namespace sextant::gradients
