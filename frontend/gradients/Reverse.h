// A task's code, and after it the same backwards: the derivatives of its results become those of
// its inputs.
#pragma once

#include "frontend/gradients/Filled.h"

namespace sextant::gradients {

/// Returns code that adds to the gradients of the arrays that a task reads what follows from those
/// of the arrays that it writes, and clears the latter. The task's code is flat and has no leaves.
/// Its stores to the outside are left out.
/// \param own gradients whose elements no other thread of the task accesses
/// \param axes those of the task. They get the locals of the code that is returned, or become none.
hir::Block reverse(hir::DraftTask &task, hir::Draft &draft, const Activity &activity,
                   const Needed &needed, const KeptArrays &kept, const std::set<Array> &own,
                   std::vector<hir::Axis> &axes);

} // namespace sextant::gradients
