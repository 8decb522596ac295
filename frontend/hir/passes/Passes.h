// The last steps from a draft to a kernel. Each is a function of the draft; `finish` is the
// pipeline.
#pragma once

#include "frontend/hir/Draft.h"

namespace sextant::hir {

/// A guarded return leaves its serial task, and what a task does behind one depends on the flag
/// that the return has set.
void guardReturns(Draft &draft);

/// Removes assignments to locals that nothing reads, and what is empty then. Variables that
/// debuggers show stay, unless a serial task would stay for their sake alone.
void prune(Draft &draft);

/// Variables that one task writes and a later one reads, and those that are used as memory, get a
/// hidden buffer. A parallel task that changes one does so in the buffer; other tasks load it
/// first and store it last.
void carryLocals(Draft &draft);

/// Gives hidden buffers their parameters, and each task its name and its own numbers of locals and
/// arrays.
Kernel renumber(Draft draft);

/// Makes bf16 values bits, and what is done to them arithmetic in f32 that is rounded. The
/// arguments stay as the application passes them.
void lowerBfloats(Kernel &kernel);

Kernel finish(Draft draft);

} // namespace sextant::hir
