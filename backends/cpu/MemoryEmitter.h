// Loads and stores (Memory.cpp), at clamped indices too (Clamps.cpp), of whole vectors
// (Components.cpp), and the arrays of blocks and threads.
#pragma once

#include "backends/cpu/TaskCode.h"

namespace sextant::cpu {

/// The alignment of shared arrays.
constexpr uint64_t sharedAlign = 64;

class MemoryEmitter : TaskPart {
public:
  using TaskPart::TaskPart;

  /// Places the task's shared and private arrays. Returns the bytes of shared memory that a block
  /// needs.
  uint64_t emitAllocations();
  void emitLoad(simt::LoadOp op);
  void emitStore(simt::StoreOp op);
  void emitLoadVector(simt::LoadVectorOp op);
  void emitStoreVector(simt::StoreVectorOp op);
  /// The address of an element, or of each lane's.
  llvm::Value *elementAddress(mlir::Value buffer, llvm::Value *index);

private:
  void emitPrivateLoad(simt::LoadOp op);
  void emitPrivateStore(simt::StoreOp op);
  llvm::SmallVector<llvm::Value *> runAddresses(mlir::Value buffer, mlir::Value index,
                                                llvm::Type *run);
  llvm::Value *privateBase(mlir::Value buffer);
  bool emitClampedLoad(simt::LoadOp op); ///< Clamps.cpp

  //===--- Components.cpp ----------------------------------------------------===//
  llvm::Value *repeated(llvm::ArrayRef<mlir::Value> parts);
  /// The vectors of which each lane has `parts`, one after the other; null if they have to be put
  /// together.
  llvm::Value *asRun(llvm::ArrayRef<mlir::Value> parts, unsigned depth = 0);

  /// The vectors of all lanes, and their first components.
  struct Loaded {
    llvm::Value *whole, *first;
  };
  llvm::DenseMap<mlir::Operation *, Loaded> runs;
  llvm::DenseMap<mlir::Value, llvm::Value *> privates;
};

} // namespace sextant::cpu
