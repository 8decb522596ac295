// Code for a processor that LLVM 19 does not know: LLVM makes it for another one whose instructions
// it has too, and the object gets the new name.
#pragma once

#include "backends/amdgpu/AmdArch.h"

namespace sextant {

/// Gives a relocatable object, which LLVM made for `arch.llvmName`, the number and the name of
/// `arch`.
llvm::Expected<llvm::SmallVector<char, 0>> renameProcessor(llvm::ArrayRef<char> object,
                                                           const AmdArch &arch);

} // namespace sextant
