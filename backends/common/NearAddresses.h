// Addresses of neighbouring elements, from each other.
#pragma once

#include "llvm/IR/Module.h"

namespace sextant {

/// Choices that depend on the target's instructions.
struct AddressSteps {
  /// A row and a column, which are added one after the other, become one index.
  bool joins = false;
  /// A step back is the step forwards, subtracted.
  bool subtracts = false;
};

/// Where a block of code accesses several elements of an array, and the distance between two is a
/// constant or follows from the kernel's arguments (rows and planes of a stencil), computes the
/// address of one from that of the other. Call it after the optimiser.
void shareAddresses(llvm::Module &module, AddressSteps steps = {});

} // namespace sextant
