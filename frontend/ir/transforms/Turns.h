// Loops in which a block takes turns: it runs the code of several blocks, one after the other, and
// collects what they update (TallyAtomics.cpp, CombineAtomics.cpp).
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace sextant::simt {

/// The task's loop (isTurns()); or null.
mlir::scf::ForOp turnsOf(mlir::func::FuncOp task);

/// Has each thread load for several turns before it updates anything.
void loadAhead(mlir::ModuleOp module);

} // namespace sextant::simt
