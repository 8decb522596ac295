// Approximations, for kernels with fast math.
#pragma once

#include "llvm/IR/Module.h"

namespace sextant {

/// Makes quotients and square roots of f32 that may be approximated (LLVM's flag `afn`) of the
/// instructions `rcp`, `sqrt` and `rsqrt` with `.approx.ftz`. Those without `.ftz` scale subnormal
/// operands and test for them. Call it after the optimiser.
void approximate(llvm::Module &module);

} // namespace sextant
