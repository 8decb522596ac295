// The optimiser's pipeline for vector code.
#pragma once

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

namespace sextant::cpu {

/// Optimises in place. `vectorize` adds LLVM's vectorisers, for tasks of one thread.
llvm::Error optimizeVectorCode(llvm::Module &module, llvm::TargetMachine &machine,
                               unsigned optLevel, bool vectorize);

/// Makes LLVM generate code the quick way if a function is very large, as unrolled loops make it.
/// The passes that look for better code take quadratic time there (the two-address pass, the
/// machine combiner, the scheduler). The optimiser has run by then.
void limitCodegen(const llvm::Module &module, llvm::TargetMachine &machine);

} // namespace sextant::cpu
