// A value that LLVM cannot look through, where it would otherwise make wrong code of it.
#pragma once

#include "llvm/IR/IRBuilder.h"

namespace sextant {

/// Returns the same value in a vector register, such that LLVM knows nothing about it. This costs
/// no instruction. The value stays in its block. Integers of fewer than 32 bits take a register as
/// well.
llvm::Value *hide(llvm::IRBuilderBase &b, llvm::Value *value);

} // namespace sextant
