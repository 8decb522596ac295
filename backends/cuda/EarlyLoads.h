// Loads before the operations that become branches.
#pragma once

#include "llvm/IR/Module.h"

namespace sextant {

/// Moves loads of global memory in front of calls of libdevice of the same block of code. Call it
/// before these are linked.
void loadBeforeCalls(llvm::Module &module);

/// Moves them in front of exact quotients, roots and divisions of 64 bits. Call it after the
/// optimiser and approximate().
void loadBeforeBranches(llvm::Module &module);

} // namespace sextant
