// Products that a round of a loop would take over from the one before.
#pragma once

#include "llvm/IR/Module.h"

namespace sextant {

/// Computes such products again, where they then become part of an fma. Call it after the
/// optimiser, for targets that have one.
void fuseCarriedProducts(llvm::Module &module);

} // namespace sextant
