// Atomic operations, each at its own place in the code.
#pragma once

#include "backends/cpu/MemoryEmitter.h"

#include <functional>

namespace sextant::cpu {

class AtomicEmitter : TaskPart {
public:
  AtomicEmitter(TaskCode &code, MemoryEmitter &memory) : TaskPart(code), memory(memory) {}

  void emitRmw(simt::AtomicRmwOp op);
  void emitCas(simt::AtomicCasOp op);
  void emitAddVector(simt::AtomicAddVectorOp op);
  /// Emits one lane's operation and returns the old element.
  llvm::Value *rmw(simt::AtomicRmwOp op, llvm::Value *address, llvm::Value *value);
  /// All lanes update one element: one operation with their combined value. False if it cannot be
  /// combined.
  bool emitCombinedRmw(simt::AtomicRmwOp op);
  void emitRmwOfEachLane(simt::AtomicRmwOp op);
  /// Returns a function that reads one lane of `value`, in the cheapest way, by a constant
  /// (`unrolled`) or run-time lane number. Call it before the loop over lanes; `before` is the op
  /// that has the loop, which writes nothing there if it `isDeferred`.
  std::function<llvm::Value *(llvm::Value *)>
  laneReader(mlir::Value value, bool unrolled, mlir::Operation *before, bool isDeferred = false);

private:
  bool emitRmwOfRun(simt::AtomicRmwOp op);
  llvm::Value *replace(llvm::Value *address, llvm::Type *type,
                       llvm::function_ref<llvm::Value *(llvm::Value *)> updated);

  MemoryEmitter &memory;
};

} // namespace sextant::cpu
