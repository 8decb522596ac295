// Atomics that are performed once a call, at its end (Deferred.cpp), at places that only data knows
// too (Tallies.cpp).
#pragma once

#include "backends/cpu/AtomicEmitter.h"

#include "llvm/ADT/MapVector.h"

namespace sextant::cpu {

class LaneEmitter;

/// The places that an atomic updates.
enum class Places {
  One,       ///< one element
  OfThreads, ///< one a thread of the block
  OfData,    ///< those at data-dependent places (Tallies.cpp)
};

/// The atomics of `task` that may be performed at the end of a call, the last one first.
llvm::MapVector<mlir::Operation *, Places> findDeferred(mlir::func::FuncOp task,
                                                        const ShapeAnalysis &shapes, Lanes lanes);

class DeferredAtomics : TaskPart {
public:
  DeferredAtomics(TaskCode &code, MemoryEmitter &memory, AtomicEmitter &atomics,
                  LaneEmitter &inChunk)
      : TaskPart(code), memory(memory), atomics(atomics), inChunk(inChunk) {}

  /// Before the loop over blocks: finds them, and makes what collects their values.
  void prepare();
  /// At the op's own place. False if the op is not deferred.
  bool emit(simt::AtomicRmwOp op);
  /// After the loop over blocks: performs them.
  void flush();

private:
  struct Collected {
    Places places = Places::One;
    /// The values to combine: a vector, or one for each chunk, or scalars.
    llvm::Value *total = nullptr;
    llvm::Value *happened = nullptr; ///< true if any thread got there; OfData: to the tags
    llvm::Value *first = nullptr;    ///< OfData: a total for each of the first places of the array
    llvm::Value *length = nullptr;   ///< OfData: how many of the first places have a total
    llvm::Value *limit = nullptr;    ///< OfData: how many may have one
    llvm::Value *tags = nullptr;     ///< OfData: the index of each total, or all ones
    llvm::Value *credit = nullptr;   ///< OfData: below zero if the table is of no use
  };

  void recompute(mlir::Value value);
  void prepareTally(simt::AtomicRmwOp op, Collected &into);
  void emitTally(simt::AtomicRmwOp op, Collected &into);
  void flushTally(simt::AtomicRmwOp op, Collected &into);

  struct Update;
  void addAt(Update &update, llvm::Value *at, llvm::Value *value);
  void addTo(Update &update, llvm::Value *slot, llvm::Value *value);
  llvm::Value *slotOf(Update &update, llvm::Value *lane);
  void growFirst(Update &update, llvm::Value *length, llvm::Value *largest);
  void updateFirst(Update &update);
  void updateActive(Update &update, llvm::function_ref<llvm::Value *(llvm::Value *)> entryOf);
  void beginTags(Update &update);
  void updateKnown(Update &update, llvm::Value *low);
  void updateLane(Update &update, llvm::Value *lane);
  void flushRun(llvm::Value *isUsed, llvm::function_ref<void(llvm::Value *)> perform);
  void forEachRun(llvm::Value *runs, llvm::function_ref<void(llvm::Value *)> body);

  MemoryEmitter &memory;
  AtomicEmitter &atomics;
  LaneEmitter &inChunk;
  llvm::MapVector<mlir::Operation *, Collected> deferred;
};

} // namespace sextant::cpu
