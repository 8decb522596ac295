// Finds the values that are provably the same in all threads of a block that compute them
// together. Such a value does not come from a thread's index, from memory or from another lane,
// and does not depend on a branch that threads take differently.
#pragma once

#include "frontend/ir/SimtDialect.h"

#include "llvm/ADT/DenseSet.h"

namespace sextant::simt {

class BlockUniform {
public:
  explicit BlockUniform(mlir::func::FuncOp task);

  bool isUniform(mlir::Value value) const { return !divergent.contains(value); }

private:
  void visit(mlir::Operation *op);
  void mark(mlir::Value value);
  /// Marks `to` as divergent if one of `from` is, or if `always` is set.
  void flow(mlir::ValueRange from, mlir::ValueRange to, bool always = false);

  llvm::DenseSet<mlir::Value> divergent;
  bool changed = false;
};

} // namespace sextant::simt
