// The code of one chunk of lanes: ops one after the other, branches where lanes agree and masks
// where they do not (Control.cpp), and loops over several axes (Rows.cpp).
#pragma once

#include "backends/cpu/DeferredAtomics.h"
#include "backends/cpu/ShownVariables.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace sextant::cpu {

class LaneEmitter : TaskPart {
public:
  explicit LaneEmitter(TaskCode &code)
      : TaskPart(code), memory(code), atomics(code, memory), deferred(code, memory, atomics, *this),
        shown(code) {}

  MemoryEmitter memory;
  AtomicEmitter atomics;
  DeferredAtomics deferred;
  ShownVariables shown;

  void emitOps(mlir::Block &block);
  void emitOp(mlir::Operation &op);
  /// Repeats a computation on the other side of a barrier. A debugger does not stop at it.
  void emitAgain(mlir::Operation &op);
  void setChunk(llvm::Value *index);
  /// The chunk that begins with this thread of the grid.
  void setGridThread(llvm::Value *number);
  /// True if chunks of the task, which begin anywhere, can follow one another along rows: emitOps()
  /// may do the work of more than one.
  bool goesAlongRows();

private:
  //===--- Control.cpp -------------------------------------------------------===//
  void emitIf(mlir::scf::IfOp op);
  void emitDivergentIf(mlir::scf::IfOp op);
  bool emitVersioned(mlir::scf::IfOp op);
  bool emitElementwise(mlir::Operation &op);
  /// Returns a comparison of scalars that tells if the condition holds from lane 0 to the lane of
  /// that number, an i64, or null.
  llvm::Value *allLanesHold(mlir::Value condition, llvm::Value *lastLane);

  //===--- Loops.cpp ---------------------------------------------------------===//
  bool mayHaveFullRounds() const { return !b.mask && versions < mostVersions; }
  void fetchAhead(mlir::Block &round);
  llvm::SmallVector<Slot> carriedSlots(mlir::scf::WhileOp op);
  void emitRounds(mlir::scf::WhileOp op, llvm::ArrayRef<Slot> slots,
                  llvm::function_ref<llvm::Value *(mlir::Value)> goesOn);
  void emitUniformWhile(mlir::scf::WhileOp op);
  bool hasAffineBound(mlir::scf::WhileOp op) const;
  void emitDivergentWhile(mlir::scf::WhileOp op);
  void emitUniformFor(mlir::scf::ForOp op);
  /// A loop that lanes leave one after the other.
  struct DivergentFor {
    mlir::scf::ForOp op;
    Slot counter;
    llvm::SmallVector<Slot> slots;               ///< memory of the carried values
    llvm::SmallVector<std::optional<Slot>> kept; ///< results of lanes that left, if they differ
  };
  void emitDivergentFor(mlir::scf::ForOp op);
  void emitFullRounds(DivergentFor &loop);
  void emitMaskedRounds(DivergentFor &loop);
  void emitBody(DivergentFor &loop);

  //===--- Rows.cpp ----------------------------------------------------------===//
  /// A guarded block whose counter is divided by the extent of a row.
  struct Rows {
    mlir::Value counter, quotient;
    mlir::Value extent;        ///< if chunks follow one another along rows: the row's length
    bool hasManyRows = false;  ///< a chunk may have more rows than it is taken apart into
    bool isSmall = false;      ///< code may have a copy for each kind of chunk
    Assumptions inRow, inside; ///< the chunk is in one row; and no index is clamped
    llvm::SmallVector<mlir::Operation *> clamps;

    mlir::Value boundOf(mlir::Operation *clamp) const;
    /// True if whole chunks at a row's borders have a copy, too.
    bool clampsWhole() const { return isSmall && !clamps.empty(); }
  };
  /// The values that the guarded block computes for other counters than those of the chunk's lanes.
  struct Elsewhere {
    mlir::Block &block;
    llvm::DenseMap<mlir::Value, llvm::Value *> known; ///< the counter, and what came of it
    bool isWide = false;                              ///< vectors
    Assumptions assumed = Assumptions();              ///< clamps that do not apply
  };
  std::optional<Rows> findRows(mlir::scf::IfOp op);
  bool emitRows(mlir::scf::IfOp op, llvm::Value *all);
  llvm::Value *evaluate(mlir::Value value, Elsewhere &at);
  void emitRowCopy(mlir::Block &body, const Assumptions &assumptions, llvm::Value *row);
  void emitManyRows(mlir::Block &body, llvm::Value *others, llvm::Value *condition,
                    llvm::BasicBlock *after);
  void emitEachRow(const Rows &rows, llvm::Value *condition, mlir::Block &body,
                   llvm::function_ref<llvm::Value *(llvm::Value *)> counterOf,
                   llvm::BasicBlock *after);
  void emitChunkOfRows(mlir::scf::IfOp op, const Rows &rows, llvm::Value *all);

  //===--- AlongRows.cpp -----------------------------------------------------===//
  /// The threads of a row that run without masks and clamps, as numbers from its first one on.
  struct Inside {
    llvm::Value *passes; ///< true if the guard lets all of the row pass
    llvm::Value *begin, *end;
  };
  llvm::Value *roomInRow(const Rows &rows, Elsewhere &first, llvm::Value *row, llvm::Value *ofCall);
  Inside insideOfRow(mlir::scf::IfOp op, const Rows &rows, Elsewhere &first, llvm::Value *room);
  void emitRowEnd(mlir::scf::IfOp op, const Rows &rows, llvm::Value *row, llvm::Value *threads);
  void emitAlongRow(mlir::scf::IfOp op, const Rows &rows);

  Assumptions assumed; ///< the assumptions of the copy of code that is emitted
  llvm::Value *assumedQuotient = nullptr;
  /// How many copies, made for one kind of mask each, the code is inside of: of a guard and a loop.
  unsigned versions = 0;
  static constexpr unsigned mostVersions = 2;
  bool isAgain = false;
};

} // namespace sextant::cpu
