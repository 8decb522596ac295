// Conversions of reals to integers that saturate, as PTX's instructions.
#pragma once

#include "llvm/IR/Module.h"

namespace sextant {

/// Replaces llvm.fptosi.sat and llvm.fptoui.sat. It runs after the optimiser.
void selectPtxConversions(llvm::Module &module);

} // namespace sextant
