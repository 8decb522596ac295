// The `simt` dialect's C++ face: its type, its ops, and what a task's
// attributes say. The ops are described in SimtOps.td.
#pragma once

#include "frontend/ir/SimtTraits.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "frontend/ir/SimtDialect.h.inc"
#include "frontend/ir/SimtEnums.h.inc"
#define GET_TYPEDEF_CLASSES
#include "frontend/ir/SimtTypes.h.inc"
#define GET_OP_CLASSES
#include "frontend/ir/SimtOps.h.inc"

namespace sextant::simt {

/// What the `simt.task` attribute of a function says (see the dialect's text).
struct TaskInfo {
  unsigned blockDim = 1;   ///< threads a block
  bool fullBlocks = false; ///< every thread of every block runs the body
  bool serial = false;     ///< one block of one thread
};

/// The task attributes of `function`, or none where it is not a task.
std::optional<TaskInfo> getTaskInfo(mlir::func::FuncOp function);
void setTaskInfo(mlir::func::FuncOp function, const TaskInfo &info);

/// The wave size that `module` was built for: its `simt.wave` attribute.
unsigned getWaveSize(mlir::ModuleOp module);
void setWaveSize(mlir::ModuleOp module, unsigned wave);

/// True if the operator combines reals.
bool isReal(CombineKind kind);

/// Registers and loads what a module of tasks uses: simt, arith, math, scf, func.
void loadDialects(mlir::MLIRContext &context);

} // namespace sextant::simt
