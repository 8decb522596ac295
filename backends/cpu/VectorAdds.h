// Atomic additions to vectors in memory.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace sextant::cpu {

/// Takes additions to vectors apart where the place does not depend on data: such sums are
/// collected in registers (Deferred.cpp), which saves more than one swap for all components does.
void splitVectorAdds(mlir::ModuleOp module);

} // namespace sextant::cpu
