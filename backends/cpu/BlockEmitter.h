// Turns one task into an LLVM function that runs its blocks: the function and the loop over the
// chunks of a block's threads (Task.cpp), with chunks in step at block barriers (Blocks.cpp). A
// chunk's own code is LaneEmitter's.
#pragma once

#include "backends/cpu/LaneEmitter.h"

namespace sextant::cpu {

class BlockEmitter : TaskPart {
public:
  explicit BlockEmitter(TaskCode &code) : TaskPart(code), inChunk(code) {}

  /// True if chunks of the task follow one another along rows (Lanes::anywhere).
  static bool goesAlongRows(const Machine &machine, Lanes lanes, llvm::LLVMContext &context,
                            mlir::func::FuncOp task, DebugLines &lines);
  /// Adds the function to `module`. Returns the bytes of shared memory that a block needs; fails
  /// with a diagnostic at the op.
  mlir::FailureOr<uint64_t> emit(llvm::Module &module);

private:
  using Body = llvm::function_ref<void()>;

  //===--- Task.cpp ----------------------------------------------------------===//
  void makeFunction(llvm::Module &module);
  void loadArguments();
  void emitThreads(mlir::Block &body);
  void emitAlongRows();
  /// Runs `body` with the chunk set, for each chunk of the block.
  void forEachChunk(Body body);

  //===--- Blocks.cpp --------------------------------------------------------===//
  void emitBlockLevel(mlir::Block &block);
  void emitRun(llvm::ArrayRef<mlir::Operation *> run);
  unsigned chunksInStep(llvm::ArrayRef<mlir::Operation *> run);
  void forChunksInStep(unsigned count, llvm::ArrayRef<mlir::Operation *> run, Body before,
                       Body after);
  void emitBlockIf(mlir::scf::IfOp op);
  void emitBlockFor(mlir::scf::ForOp op);
  void emitBlockWhile(mlir::scf::WhileOp op);
  void emitBarrierReduce(mlir::Operation &op);
  bool isRematerialised(mlir::Value value, llvm::SmallVectorImpl<mlir::Value> *scalars = nullptr,
                        unsigned depth = 0);
  void ensureBlockSlot(mlir::Value value);
  Slot makeBlockSlot(mlir::Value value);
  /// Makes `value` available in the current chunk.
  void fetch(mlir::Value value);
  /// Returns thread 0's value of something that the kernel promises to be uniform in the block.
  llvm::Value *blockScalar(mlir::Value value);
  void copyIntoSlots(mlir::ValueRange values, llvm::ArrayRef<Slot> slots);

  LaneEmitter inChunk;
  llvm::DenseMap<mlir::Value, Slot> blockSlots; ///< slots of values that cross barriers
  /// For what a round of a loop yields: the slot of the value that it replaces.
  llvm::DenseMap<mlir::Value, Slot> inPlace;
  /// For block-level loops whose counter differs between threads: the value that was added.
  llvm::DenseMap<mlir::Value, llvm::Value *> blockOffsets;
};

} // namespace sextant::cpu
