// Updates of serial tasks, and loads after them.
#pragma once

#include "llvm/IR/Module.h"

namespace sextant {

/// Where a task of one thread updates a place and then loads it, computes what the update left
/// there of what it found. Call it after the optimiser.
void shortenSerialUpdates(llvm::Module &module);

} // namespace sextant
