// Fuses a product and a sum into one operation.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace sextant {

/// Replaces a sum or difference, and a product that nothing else uses, by one fma. The product
/// stays for SPIRV-Tools to remove.
void fuseProducts(mlir::ModuleOp module);

} // namespace sextant
