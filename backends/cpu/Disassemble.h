// Assembly text of an image.
#pragma once

#include "backends/cpu/Target.h"

namespace sextant::cpu {

/// The code of each exported function, one instruction a line.
llvm::Expected<std::string> disassembleImage(llvm::ArrayRef<char> image, const Machine &machine);

} // namespace sextant::cpu
