// Approximations, for kernels with fast math.
#pragma once

#include "llvm/IR/Module.h"

namespace sextant {

/// Makes divisions and square roots of f32 that may be approximated (LLVM's flag `afn`) the
/// instructions div.approx.f32 and sqrt.approx.f32. Call it before libdevice is linked.
void approximate(llvm::Module &module);

} // namespace sextant
