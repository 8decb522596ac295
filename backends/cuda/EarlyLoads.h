// Loads before the operations that ptxas branches for.
#pragma once

#include "llvm/IR/Module.h"

namespace sextant {

/// Moves loads of global memory in front of exact quotients, roots and divisions of 64 bits of the
/// same block of code. Call it after the optimiser and approximate().
void loadEarly(llvm::Module &module);

} // namespace sextant
