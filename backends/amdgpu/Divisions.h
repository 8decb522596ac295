// Divisions of small numbers.
#pragma once

#include "llvm/IR/Function.h"

namespace sextant {

/// Makes divisions of numbers below 2^24 short, such as that of a block's index by the blocks of a
/// row.
void shortenDivisions(llvm::Function &function);

} // namespace sextant
