// An IRBuilder of code that runs `Lanes::width` threads at a time: each thread is one lane of a
// vector, and a mask says which of them are active. It knows nothing of tasks and their ops.
// LaneBuilder.cpp has values, masks, the stack and memory, Permutations.cpp what moves values
// between lanes.
#pragma once

#include "backends/cpu/Shape.h"
#include "backends/cpu/Target.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"

namespace sextant::cpu {

class LaneBuilder : public llvm::IRBuilder<> {
public:
  using IndexedBody = llvm::function_ref<void(llvm::Value *)>;

  LaneBuilder(const Machine &machine, Lanes lanes, llvm::LLVMContext &context)
      : IRBuilder(context), machine(machine), lanes(lanes) {}

  const Machine &machine;
  Lanes lanes; ///< the width is less for a while at the ends of rows (AlongRows.cpp)
  llvm::Function *function = nullptr; ///< that code is added to
  /// A vector of <width x i1>, or null if every lane is active. Where code has effects, at least
  /// one lane is active.
  llvm::Value *mask = nullptr;

  //===--- Types -------------------------------------------------------------===//
  /// The type of a value of one lane. Half floats are their bits: not every machine has the type.
  llvm::Type *scalarType(mlir::Type type);
  llvm::Type *vectorType(mlir::Type type) { return widen(scalarType(type)); }
  /// The type of a vector with one value for each lane.
  llvm::Type *widen(llvm::Type *type);

  //===--- The same for all lanes, and by their numbers ----------------------===//
  llvm::Value *splat(llvm::Value *value);
  llvm::Constant *iota(llvm::Type *scalar, int64_t stride = 1);

  //===--- Masks -------------------------------------------------------------===//
  llvm::Value *maskVector();
  llvm::Value *isAny(llvm::Value *bits);
  llvm::Value *isAll(llvm::Value *bits);
  /// An integer with one bit for each lane.
  llvm::Value *maskBits(llvm::Value *bits);
  llvm::Value *andMask(llvm::Value *condition);
  /// `value` where the mask is on, else `other`.
  llvm::Value *whereActive(llvm::Value *value, llvm::Value *other);
  llvm::Value *firstActiveLane();
  llvm::Value *lastActiveLane();

  //===--- Blocks and loops --------------------------------------------------===//
  llvm::BasicBlock *newBlock(const llvm::Twine &name);
  /// `for (i = begin; i < end; ++i)` with unsigned counters.
  void countedLoop(llvm::Value *begin, llvm::Value *end, IndexedBody body, const llvm::Twine &name);
  /// The same, where `body` returns the next number that is still to do.
  void advancingLoop(llvm::Value *begin, llvm::Value *end,
                     llvm::function_ref<llvm::Value *(llvm::Value *)> body,
                     const llvm::Twine &name);
  /// Runs `body` once for each active lane, in increasing order.
  void forEachActiveLane(IndexedBody body);

  //===--- The stack ---------------------------------------------------------===//
  llvm::AllocaInst *entryAlloca(llvm::Type *type, const llvm::Twine &name, unsigned count = 1);
  llvm::Value *spill(llvm::Value *vector, const llvm::Twine &name);
  llvm::Value *laneOfVector(llvm::Value *vector, llvm::Value *lane);

  //===--- Memory, by the active lanes ---------------------------------------===//
  /// True if masked loads and stores of such elements are instructions.
  bool movesMasked(llvm::Type *element) const;
  llvm::Value *loadConsecutive(llvm::Type *element, llvm::Value *address);
  void storeConsecutive(llvm::Value *value, llvm::Value *address);
  llvm::Value *gather(llvm::Type *element, llvm::Value *addresses);
  void scatter(llvm::Value *value, llvm::Value *addresses);
  /// Loads a run of up to four elements for each lane, from one address a lane. Inactive lanes
  /// load, too.
  llvm::SmallVector<llvm::Value *> loadRuns(llvm::Type *element, unsigned count,
                                            llvm::ArrayRef<llvm::Value *> addresses);
  /// Stores a run for each active lane, in the order of lanes.
  void storeRuns(llvm::ArrayRef<llvm::Value *> parts, llvm::ArrayRef<llvm::Value *> addresses);
  /// Brings the line at `address` into the caches. Any address will do.
  void prefetch(llvm::Value *address, bool isWritten);

  //===--- Permutations ------------------------------------------------------===//
  /// Lane i gets lane `source(i)` of the concatenation of `a` and `other`.
  llvm::Value *shuffle(llvm::Value *a, llvm::Value *other, llvm::function_ref<int(int)> source);
  /// Lane i gets `value` of lane `indices[i]` (i32, taken modulo the lanes).
  llvm::Value *permute(llvm::Value *value, llvm::Value *indices);
  /// The elements of `count` interleaved vectors, each of a lane's elements; and back.
  llvm::SmallVector<llvm::Value *> deinterleave(llvm::Value *wide, unsigned count);
  llvm::Value *interleave(llvm::ArrayRef<llvm::Value *> parts);

private:
  bool transposes(llvm::Type *element, unsigned count) const;
  llvm::Value *permuteNative(llvm::Value *value, llvm::Value *indices);
};

/// The bytes of an element, or of each element of a vector.
inline unsigned elementBytes(llvm::Type *type) { return type->getScalarSizeInBits() / 8; }

} // namespace sextant::cpu
