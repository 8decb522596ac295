// The optimiser's pipeline for vector code.
#pragma once

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

namespace sextant::cpu {

/// Optimises in place. `vectorize`: also with LLVM's vectorisers, for tasks of one thread.
llvm::Error optimizeVectorCode(llvm::Module &module, llvm::TargetMachine &machine,
                               unsigned optLevel, bool vectorize);

} // namespace sextant::cpu
