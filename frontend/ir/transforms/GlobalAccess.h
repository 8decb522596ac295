// The effects of code on global memory, for transforms that put updates off to the end of a block's
// code.
#pragma once

#include "frontend/ir/SimtDialect.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace sextant::simt {

inline bool isGlobal(mlir::Value buffer) {
  return llvm::cast<BufferType>(buffer.getType()).getSpace() == Space::Global;
}

/// True if code in the task may wait for other blocks, or tell them something: then every access
/// happens at its own place.
bool synchronises(mlir::func::FuncOp task);

/// True if the op, or one in it, accesses global memory.
bool touchesGlobalMemory(mlir::Operation *op);

/// True if the atomic may be put off, as far as it is concerned: nobody uses its old value, and its
/// operator combines words.
bool canBeLate(AtomicRmwOp op);

/// The last loop of a task, in which atomics may be late, too.
struct LateLoops {
  bool mayLoad = true; ///< code can compare the places of loads with those of atomics
  llvm::SmallVector<mlir::scf::ForOp> reading = {}; ///< found: the innermost loops that load
};

/// Finds atomics that can be late, from the end of `block` and of its branches on, up to the first
/// one for which `fits`, which is told those after it, is false. Returns false if what stands
/// before must not be moved past the block. Where `loops` is given, it goes into the last loop,
/// too, as collectInLoop() does.
using FitsLate = llvm::function_ref<bool(AtomicRmwOp op, llvm::ArrayRef<AtomicRmwOp> later)>;
bool collectLate(mlir::Block &block, llvm::SmallVectorImpl<AtomicRmwOp> &found, FitsLate fits,
                 LateLoops *loops = nullptr);

} // namespace sextant::simt
