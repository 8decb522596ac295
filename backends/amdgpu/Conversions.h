// Conversions of reals to words that saturate, as AMD's instructions.
#pragma once

#include "llvm/IR/Module.h"

namespace sextant {

/// Replaces llvm.fptosi.sat and llvm.fptoui.sat, which are of words. It runs after the optimiser.
void selectAmdConversions(llvm::Module &module);

} // namespace sextant
