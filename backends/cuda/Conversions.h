// Conversions of reals to integers that saturate, as PTX's instructions.
#pragma once

#include "llvm/IR/Module.h"

namespace sextant {

/// Replaces llvm.fptosi.sat and llvm.fptoui.sat, which LLVM 19 would make of four to seven
/// instructions. It runs after the optimiser, which knows what they mean.
void selectPtxConversions(llvm::Module &module);

} // namespace sextant
