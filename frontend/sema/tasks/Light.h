// Loops that are over as soon as their blocks have begun.
#pragma once

#include "frontend/sema/tasks/Bounds.h"

namespace sextant::sema {

/// True if the code is short, has no loop, and does not speak of blocks, lanes or order.
bool isShort(hir::Block &body);

/// True if each target may choose the block of the task whose iterations run `body`
/// (hir::Task::light): the code is short, and neither it nor the kernel's author says anything of
/// blocks.
bool isLight(const TaskBuild &build, const ParallelRange &all, hir::Block &body);

} // namespace sextant::sema
