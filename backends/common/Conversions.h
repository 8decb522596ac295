// Conversions of reals to integers that saturate, for targets with instructions that LLVM 19 does
// not select for them: it makes four to seven instructions of each.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace sextant {

/// Replaces each llvm.fptosi.sat and llvm.fptoui.sat by what `emit` makes of a scalar; those of
/// vectors, which the optimiser forms, element by element. It runs after the optimiser, which knows
/// what they mean.
void replaceToInts(llvm::Module &module,
                   llvm::function_ref<llvm::Value *(llvm::IRBuilder<> &b, llvm::Value *real,
                                                    llvm::Type *integer, bool isUnsigned)>
                       emit);

} // namespace sextant
