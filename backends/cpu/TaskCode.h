// The code of a task while it is made: what all emitters of a task read and write.
#pragma once

#include "backends/common/DebugLines.h"
#include "backends/cpu/LaneValues.h"

namespace sextant::cpu {

struct TaskCode {
  TaskCode(const Machine &machine, Lanes lanes, llvm::LLVMContext &context, mlir::func::FuncOp task,
           DebugLines &lines)
      : task(task), lines(lines), b(machine, lanes, context), values(task, b) {}

  mlir::func::FuncOp task;
  DebugLines &lines;
  LaneBuilder b;
  LaneValues values;
  uint64_t tableBytes = 0; ///< on the stack, for updates that a call writes back at its end
  bool failed = false;     ///< and reported

  //===--- Arguments of the function -----------------------------------------===//
  llvm::Value *args = nullptr, *shared = nullptr, *begin = nullptr, *end = nullptr, *grid = nullptr;

  //===--- Where the code is -------------------------------------------------===//
  llvm::Value *blockIndex = nullptr;
  llvm::Value *chunk = nullptr;      ///< i32, null outside of the loops over chunks
  llvm::Value *threadBase = nullptr; ///< thread index of lane 0
  /// Where chunks follow one another along rows (Rows.cpp): the number of lane 0 in the grid, an
  /// i64. A chunk's code leaves the number of the first thread that is still to run.
  llvm::Value *gridThread = nullptr;
};

/// The state that an emitter has at hand.
struct TaskPart {
  explicit TaskPart(TaskCode &code)
      : code(code), b(code.b), values(code.values), lanes(b.lanes), machine(b.machine) {}

  TaskCode &code;
  LaneBuilder &b;
  LaneValues &values;
  const Lanes &lanes;
  const Machine &machine;
};

} // namespace sextant::cpu
