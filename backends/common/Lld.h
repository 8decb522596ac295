// lld, in this process.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

namespace sextant {

/// Links one ELF object. `arguments` are those of ld.lld, without the input and the output.
/// Thread-safe: one link runs at a time.
llvm::Expected<llvm::SmallVector<char, 0>> runLld(llvm::ArrayRef<char> object,
                                                  llvm::ArrayRef<const char *> arguments);

} // namespace sextant
