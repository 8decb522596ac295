// What a task takes of a block's resources, and errors where a target has less.
#pragma once

#include "frontend/ir/SimtDialect.h"

namespace sextant {

/// What one launch of a task may take.
struct TaskLimits {
  uint64_t sharedBytes = UINT64_MAX; ///< a block
  unsigned blockThreads = UINT_MAX;
  uint64_t argumentBytes = UINT64_MAX;
};

/// Emits an error at `task` for each limit that it passes; they name `target`.
mlir::LogicalResult checkLimits(mlir::func::FuncOp task, const TaskLimits &limits,
                                llvm::StringRef target);

/// Bytes of the task's parameters, each at its natural alignment.
uint64_t argumentBytes(mlir::func::FuncOp task);

/// A block-shared array of a task.
struct SharedArray {
  std::string name;
  uint64_t bytes = 0;
  mlir::Location at;
};
std::vector<SharedArray> sharedArrays(mlir::func::FuncOp task);
/// What they take, one after the other, each aligned to 16 bytes.
uint64_t sharedBytes(mlir::func::FuncOp task);

} // namespace sextant
