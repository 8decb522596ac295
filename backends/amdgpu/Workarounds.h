// Workarounds for what LLVM 19's AMDGPU code generator gets wrong.
#pragma once

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Target/TargetMachine.h"

namespace sextant {

/// Changes the module so that it has none of the code that is known to be miscompiled. It must run
/// last before code generation: the optimiser would undo some of it.
void avoidMiscompiles(llvm::Module &module, llvm::TargetMachine &machine);

/// Makes phis divergent that LLVM wrongly considers uniform (Joins.cpp).
void keepJoins(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

/// Keeps moves between lanes apart from instructions that they must not be folded into (Moves.cpp).
void keepMoves(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

/// The lanes of a wave take the two sides of a branch one after the other, in an order that the
/// code generator derives from the order of the blocks. If one side waits for a value in memory,
/// this lets the other side go first: its lanes may be the ones that write the value.
void orderWaits(llvm::Module &module);

/// Lets tasks of many arrays load the addresses of these where they are used (Addresses.cpp).
void loadAddressesNearUses(llvm::Function &function);

/// Returns the same value in a vector register, such that LLVM knows nothing about it. This costs
/// no instruction. The value stays in its block. Integers of fewer than 32 bits take a register as
/// well.
llvm::Value *hide(llvm::IRBuilderBase &b, llvm::Value *value);

} // namespace sextant
