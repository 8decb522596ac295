// Where a task of many arrays loads their addresses.
#pragma once

#include "llvm/IR/Function.h"

namespace sextant {

/// Lets tasks of many arrays load the addresses of these where they are used.
void loadAddressesNearUses(llvm::Function &function);

} // namespace sextant
