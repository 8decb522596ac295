// Moves between lanes, and the instructions that use their results.
#pragma once

#include "llvm/IR/PassManager.h"

namespace sextant {

/// Keeps moves between lanes apart from instructions that they must not be folded into.
void keepMoves(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

} // namespace sextant
