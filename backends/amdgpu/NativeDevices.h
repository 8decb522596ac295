// The AMD GPUs of this machine, for the target `native`.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace sextant {

/// The processor of each distinct GPU that the kernel driver's `topology` folder lists, as
/// amdArchs() names it, or the generic processor of its family.
std::vector<std::string> nativeAmdArchs(llvm::StringRef topology);

} // namespace sextant
