// Links the functions of NVIDIA's libdevice that a module calls into it.
#pragma once

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace sextant {

/// Does nothing where the module calls none of them; an error where it does and
/// there is no libdevice. Denormals are kept, as everywhere else.
llvm::Error linkLibdevice(llvm::Module &module);

} // namespace sextant
