// Reads what a linked code object reports of its kernels.
#pragma once

#include "backends/Backend.h"

namespace sextant {

/// Fills in the registers, spills, scratch and shared bytes of `tasks` from the metadata note of
/// the ELF image.
llvm::Error readResources(llvm::ArrayRef<char> image, llvm::MutableArrayRef<TaskResources> tasks);

} // namespace sextant
