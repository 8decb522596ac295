// Loops that end by updating memory at data-dependent places: counts, sums by key, scatters.
#pragma once

#include "frontend/sema/tasks/Bounds.h"

namespace sextant::sema {

/// True if each target may run the iterations in rounds of blocks (hir::Task::scatters): the last
/// accesses of `body` are atomics of an unused old value at places that it read from memory, and
/// none of its code speaks of blocks or waits for threads.
bool isScatter(const TaskBuild &build, const ParallelRange &all, hir::Block &body);

} // namespace sextant::sema
