// Transforms of simt modules that targets share: free functions that a backend
// calls in the order it wants, and the table by which tools name them.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LogicalResult.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace sextant::simt {

/// Folds, canonicalises and merges common subexpressions until nothing changes.
mlir::LogicalResult simplify(mlir::ModuleOp module);

/// A transform under the name that tests and `--dump-ir` know it by. `arguments`
/// is a comma-separated list whose words the transform defines.
struct NamedPass {
  llvm::StringRef name, summary;
  mlir::LogicalResult (*run)(mlir::ModuleOp module, llvm::StringRef arguments);
};

llvm::ArrayRef<NamedPass> allPasses();
/// The pass of that name, or null.
const NamedPass *findPass(llvm::StringRef name);

} // namespace sextant::simt
