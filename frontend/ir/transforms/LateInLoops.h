// Updates in loops that wait for the task's end, though the loops load: a load may read their
// place.
#pragma once

#include "frontend/ir/transforms/GlobalAccess.h"

#include "mlir/IR/IRMapping.h"

namespace sextant::simt {

/// Finds atomics in `loop` that can be late if its loads read other memory, which runApart() lets a
/// thread find out. Finds none if there is another access, or threads wait for each other.
void collectInLoop(mlir::scf::ForOp loop, llvm::SmallVectorImpl<AtomicRmwOp> &found, FitsLate fits,
                   LateLoops &loops);

/// Has `loop`, of LateLoops::reading, run where none of its loads reads a place of `late`, and a
/// copy of it elsewhere. Returns the block of the copy.
mlir::Block &runApart(mlir::scf::ForOp loop, llvm::ArrayRef<AtomicRmwOp> late);

/// Computes `value` again, but for what `mapping` has and what `stays` holds for. It `mayWrap` if
/// that is for no iteration that runs.
mlir::Value computeAgain(mlir::OpBuilder &b, mlir::Value value, mlir::IRMapping &mapping,
                         llvm::function_ref<bool(mlir::Value)> stays, bool mayWrap = true);

} // namespace sextant::simt
