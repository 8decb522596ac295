// Loops that LLVM shall unroll.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace sextant {

/// Has LLVM run four rounds together of short loops that read memory.
void unrollReads(mlir::ModuleOp tasks);

} // namespace sextant
