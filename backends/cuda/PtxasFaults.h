// Workarounds for code that ptxas compiles wrongly.
#pragma once

#include "llvm/IR/Module.h"

namespace sextant {

/// Changes the module so that it has none of the code that is known to be miscompiled. It must run
/// last before code generation: the optimiser would undo it.
void avoidPtxasFaults(llvm::Module &module);

} // namespace sextant
