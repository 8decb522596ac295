// Workarounds for what LLVM 19's x86 code generator gets wrong.
#pragma once

#include "llvm/IR/Module.h"

namespace sextant::cpu {

/// Changes a module for AVX-512 so that it has none of the code that is known to be miscompiled. It
/// must run last before code generation: the optimiser would undo it.
void avoidMiscompiles(llvm::Module &module);

} // namespace sextant::cpu
