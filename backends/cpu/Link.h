// Links one object into the shared object that the loader loads.
#pragma once

#include "backends/cpu/Target.h"

namespace sextant::cpu {

/// Thread-safe. `keepSymbols` keeps local symbols and debug sections.
llvm::Expected<llvm::SmallVector<char, 0>> linkShared(llvm::ArrayRef<char> object,
                                                      const Machine &machine, bool keepSymbols);

} // namespace sextant::cpu
