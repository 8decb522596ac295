// The sine and the cosine of one angle.
#pragma once

#include "llvm/IR/Module.h"

namespace sextant {

/// Makes one call of the sine and the cosine of one angle in the same block of code. Call it before
/// libdevice is linked.
void joinSinCos(llvm::Module &module);

} // namespace sextant
