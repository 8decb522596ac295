// Links one object into the shared object that the loader takes.
#pragma once

#include "backends/cpu/Target.h"

namespace sextant::cpu {

/// Thread-safe. `keepSymbols`: leaves local symbols and debug sections in.
llvm::Expected<llvm::SmallVector<char, 0>> linkShared(llvm::ArrayRef<char> object,
                                                      const Machine &machine, bool keepSymbols);

} // namespace sextant::cpu
