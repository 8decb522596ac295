// Orders a thread's last accesses.
#pragma once

#include "frontend/hir/Hir.h"

namespace sextant::gradients {

/// Moves stores of zero past code that does not access their arrays, and additions at places that
/// are the same for all threads past these. Merges such a store with an addition that follows.
///
/// A GPU that stores to an element while it still loads it makes other threads wait: on an H200, a
/// product of 2^22 elements took 94 us to run backwards, and 30 us without such stores. Additions
/// at one place meet in the block if they are the last that a thread does (docs/decisions/0032).
void accessLate(hir::Block &code);

} // namespace sextant::gradients
