// Blocks collect what all of their threads add to the same places.
#pragma once

#include "frontend/hir/Draft.h"

namespace sextant::gradients {

/// Has the threads of a block add to shared memory, and the block then to the gradient, where the
/// task adds in loops to places that do not depend on the thread: the weights that all rows of a
/// product share. The gradient must be of f32, whose atomics all devices have in shared memory, and
/// the task must not access it otherwise.
void collectSums(hir::Task &task, hir::Draft &draft);

} // namespace sextant::gradients
