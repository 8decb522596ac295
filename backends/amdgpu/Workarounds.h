// Workarounds for what LLVM 19's AMDGPU code generator gets wrong.
#pragma once

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace sextant {

/// Changes the module so that it has none of the code that is known to be miscompiled. It must run
/// last before code generation: the optimiser would undo some of it.
void avoidMiscompiles(llvm::Module &module, llvm::TargetMachine &machine);

/// The lanes of a wave take the two sides of a branch one after the other, in an order that the
/// code generator derives from the order of the blocks. If one side waits for a value in memory,
/// this lets the other side go first: its lanes may be the ones that write the value.
void orderWaits(llvm::Module &module);

} // namespace sextant
