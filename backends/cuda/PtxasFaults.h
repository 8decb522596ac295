// What ptxas compiles wrongly, and ways round it.
#pragma once

#include "llvm/IR/Module.h"

namespace sextant {

/// Changes the module so that what is known to be miscompiled does not occur in it. To be run
/// last before code generation: the optimiser would undo it.
void avoidPtxasFaults(llvm::Module &module);

} // namespace sextant
