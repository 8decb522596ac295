// A thread's place, and what it does with other threads: fences, waits, subgroup operations.
#pragma once

#include "backends/cpu/TaskCode.h"

namespace sextant::cpu {

/// Emits the op for one chunk of lanes. Returns false if it is about something else.
bool emitThreadOp(mlir::Operation &op, TaskCode &code);

} // namespace sextant::cpu
