// What a linked code object says of its kernels.
#pragma once

#include "backends/Backend.h"

namespace sextant {

/// Fills registers, spills, scratch and shared bytes of `tasks` from the metadata note of
/// the ELF image.
llvm::Error readResources(llvm::ArrayRef<char> image, llvm::MutableArrayRef<TaskResources> tasks);

} // namespace sextant
