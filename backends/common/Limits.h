// The resources of a block that a task needs, and errors if a target has less.
#pragma once

#include "frontend/ir/SimtDialect.h"

namespace sextant {

/// The limits of one launch of a task.
struct TaskLimits {
  uint64_t sharedBytes = UINT64_MAX; ///< a block
  unsigned blockThreads = UINT_MAX;
  uint64_t argumentBytes = UINT64_MAX;
};

/// Emits an error at `task` for each limit that it exceeds. The errors name `target`.
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
/// The total size of the arrays, one after the other, each aligned to 16 bytes.
uint64_t sharedBytes(mlir::func::FuncOp task);

} // namespace sextant
