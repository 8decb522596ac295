// Atomics that one lane performs.
#pragma once

#include "llvm/IR/Function.h"

namespace sextant {

/// Keeps LLVM from joining the lanes' atomics where a branch lets one lane of a wave through.
void leaveSingleLanes(llvm::Function &function);

} // namespace sextant
