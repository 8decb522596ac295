// Tests of a number's lowest bit.
#pragma once

#include "llvm/IR/Module.h"

namespace sextant {

/// Compares the lowest bit of words with 0, which is one instruction of the processor. Call it
/// after the optimiser.
void testLowestBits(llvm::Module &module);

} // namespace sextant
