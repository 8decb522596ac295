// Products in pairs, as RDNA 3 and newer compute them.
#pragma once

#include "llvm/IR/Function.h"

namespace sextant {

/// Has neighbouring products of the same number take it as different operands.
void orderFactors(llvm::Function &function);

} // namespace sextant
