// What LLVM 19's AMDGPU code generator gets wrong, and ways round it.
#pragma once

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Target/TargetMachine.h"

namespace sextant {

/// Changes the module so that what is known to be miscompiled does not occur in it. To be run
/// last before code generation: the optimiser would undo some of it.
void avoidMiscompiles(llvm::Module &module, llvm::TargetMachine &machine);

/// Makes the phis that LLVM takes for uniform, and are not, divergent (Joins.cpp).
void keepJoins(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

/// Keeps moves between lanes apart from instructions that they must not be folded into (Moves.cpp).
void keepMoves(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

/// Lanes of a wave take the two sides of a branch one after the other, in an order that the
/// code generator takes from the order of the blocks. Where one side waits for a value in
/// memory, lets the other go first: its lanes may be whom it waits for.
void orderWaits(llvm::Module &module);

/// The same value, of which LLVM knows nothing, in a vector register; no instruction. It stays
/// in its block. Integers of fewer than 32 bits take a register as well.
llvm::Value *hide(llvm::IRBuilderBase &b, llvm::Value *value);

} // namespace sextant
