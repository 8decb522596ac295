// Conversions of reals to integers that saturate, as AMD's instructions.
#pragma once

#include "llvm/IR/Module.h"

namespace sextant {

/// Replaces llvm.fptosi.sat and llvm.fptoui.sat, which LLVM 19 would make of seven instructions. It
/// runs after the optimiser, which knows what they mean.
void selectAmdConversions(llvm::Module &module);

} // namespace sextant
