// What LLVM 19's x86 code generator gets wrong, and ways round it.
#pragma once

#include "llvm/IR/Module.h"

namespace sextant::cpu {

/// Changes the module, code for AVX-512, so that what is known to be miscompiled does not occur in
/// it. To be run last before code generation: the optimiser would undo it.
void avoidMiscompiles(llvm::Module &module);

} // namespace sextant::cpu
