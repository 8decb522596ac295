// Addresses of neighbouring elements, from each other.
#pragma once

#include "llvm/IR/Module.h"

namespace sextant {

/// Where a block of code accesses several elements of an array, and the distance between two is a
/// constant or follows from the kernel's arguments (rows and planes of a stencil), computes the
/// address of one from that of the other. Call it after the optimiser.
void shareAddresses(llvm::Module &module);

} // namespace sextant
