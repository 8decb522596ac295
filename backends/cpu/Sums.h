// Sums of products in straight-line code, such as the elements of a product of matrices by tiles.
#pragma once

#include "llvm/IR/PassManager.h"

namespace sextant::cpu {

/// Marks loops over chunks for LLVM's unroller whose few sums have more factors in common than
/// there are registers: chunks that run together load each of them once.
struct JamSums : llvm::PassInfoMixin<JamSums> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

/// Orders the terms of a block's sums: as many sums at a time as registers hold, one term of each
/// after the other. All sums at once would move them to the stack and back for each term, and one
/// at a time would wait for each addition. What each sum adds, and in which order, stays.
struct OrderSums : llvm::PassInfoMixin<OrderSums> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace sextant::cpu
