// Phis where the lanes of a divergent branch meet again.
#pragma once

#include "llvm/IR/PassManager.h"

namespace sextant {

/// Makes phis divergent that LLVM wrongly considers uniform.
void keepJoins(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

} // namespace sextant
