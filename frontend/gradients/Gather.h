// Threads gather what others would scatter to them.
#pragma once

#include "frontend/hir/Draft.h"

namespace sextant::gradients {

/// Takes additions to gradients out of a task that runs a loop backwards, if its threads add to
/// elements at constant distances from their own indices, as a stencil's do. Returns tasks that run
/// before it, and add as much: each thread has an element, computes what each of the threads around
/// would add to it, and adds that at once, without atomics.
/// \param axes those of the loop, with the locals of the task
std::vector<hir::DraftTask> gatherSums(hir::DraftTask &task, const std::vector<hir::Axis> &axes,
                                       hir::Draft &draft);

} // namespace sextant::gradients
