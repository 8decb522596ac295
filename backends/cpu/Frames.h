// Frames of tasks on the stack: that others can walk through them, touch guard pages as they
// should, and fit on every thread that runs tasks.
#pragma once

#include "backends/common/Codegen.h"

#include "mlir/IR/BuiltinOps.h"

namespace sextant::cpu {

/// Gives a function that code is generated for the attributes that its frame needs.
void addFrameAttributes(llvm::Function &function);

/// Keeps the stack pointer at multiples of 16 in each function. Must run after the optimiser.
void alignFrames(llvm::Module &module);

/// Reports frames that are larger than abi::taskFrame, each at its task.
mlir::LogicalResult refuseFrames(mlir::ModuleOp tasks, llvm::ArrayRef<LargeFrame> frames);

} // namespace sextant::cpu
