// What LLVM 19's AMDGPU code generator gets wrong, and ways round it.
#pragma once

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace sextant {

/// Changes the module so that what is known to be miscompiled does not occur in it. To be run
/// last before code generation: the optimiser would undo some of it.
void avoidMiscompiles(llvm::Module &module, llvm::TargetMachine &machine);

/// Lanes of a wave take the two sides of a branch one after the other, in an order that the
/// code generator takes from the order of the blocks. Where one side waits for a value in
/// memory, lets the other go first: its lanes may be whom it waits for.
void orderWaits(llvm::Module &module);

/// The same value, of which LLVM knows nothing, in a vector register; no instruction. It stays
/// in its block.
llvm::Value *hide(llvm::IRBuilderBase &b, llvm::Value *value);

} // namespace sextant
