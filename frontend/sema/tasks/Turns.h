// Loops that end by updates that a block can collect: sums, extrema, counts, sums by key.
#pragma once

#include "frontend/sema/tasks/Bounds.h"

namespace sextant::sema {

/// True if each target may run the iterations in rounds of blocks (hir::Task::turns): the last
/// accesses of `body` are atomics of an unused old value, all at places that it read from memory or
/// all at places of the launch's, and none of its code speaks of blocks or waits for threads.
bool mayTakeTurns(const TaskBuild &build, const ParallelRange &all, hir::Block &body);

} // namespace sextant::sema
