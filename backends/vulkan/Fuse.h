// Products and sums as one operation.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace sextant {

/// Makes one fma of a sum or difference and a product that nothing else uses. The product stays
/// for SPIRV-Tools to remove.
void fuseProducts(mlir::ModuleOp module);

} // namespace sextant
