// Divisions of small numbers.
#pragma once

#include "llvm/IR/Function.h"

namespace sextant {

/// Divides numbers below 2^23, such as a block's index, in half the instructions of others, and
/// keeps LLVM from dividing others below 2^24, which it does wrongly.
void divideSmall(llvm::Function &function);

} // namespace sextant
