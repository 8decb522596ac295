// Links the functions of NVIDIA's libdevice that a module calls into it.
#pragma once

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace sextant {

/// Does nothing if the module calls none of them. Returns an error if it does and libdevice is
/// missing. With `flushes`, its functions of f32 take subnormal operands for zeros where that is
/// faster.
llvm::Error linkLibdevice(llvm::Module &module, bool flushes);

} // namespace sextant
