// Arrays of blocks and threads whose values the reverse can have again.
#pragma once

#include "frontend/gradients/Activity.h"
#include "frontend/gradients/Gradients.h"

namespace sextant::gradients {

/// The arrays that loops keep: as they were where the loop began, and at its checkpoints.
using KeptArrays = std::map<const hir::Stmt *, std::set<Array>>;

/// Finds the loops that have to keep arrays of the task, because the reverse needs what was read of
/// these. Adds loads of shared arrays that cannot be kept.
///
/// Straight code is run again with all its stores, so its loads are right. A loop is run again
/// later, an iteration at a time. Its loads are right if each iteration fills the array before it
/// reads it, or if nothing stores to the array in the loop or after it.
KeptArrays findKept(hir::DraftTask &task, const hir::Draft &draft, const Activity &activity,
                    const Needed &needed, std::vector<Refusal> &refusals);

} // namespace sextant::gradients
