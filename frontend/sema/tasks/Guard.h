// The assignment of a parallel loop's iterations to threads.
#pragma once

#include "frontend/sema/Context.h"
#include "frontend/sema/tasks/Bounds.h"

namespace sextant::sema {

/// The code of one iteration, and the local that holds its number.
struct Iteration {
  unsigned number = 0;
  hir::Block body;
};

/// For launches of one thread for each iteration: the threads after the last iteration do nothing.
void runByThreads(Context &cx, TaskBuild &task, ParallelRange &all, Iteration iteration);
/// For launches that do not know the number of iterations, and where it may be larger than grids
/// are: a grid-stride loop over whole blocks.
void runByStride(Context &cx, TaskBuild &task, ParallelRange &all, Iteration iteration);

} // namespace sextant::sema
