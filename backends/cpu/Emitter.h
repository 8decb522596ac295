// Turns one task into an LLVM function that runs its blocks, `Lanes::width` threads at a time. Each
// thread is one vector lane. Where threads diverge there is a mask; where they agree, values are
// scalars. Each concern has a file: Task.cpp (the function and its loops), Blocks.cpp (block
// barriers), Control.cpp, Rows.cpp, Arith.cpp, MathCalls.cpp, Memory.cpp, Clamps.cpp, Atomics.cpp,
// Deferred.cpp, Tallies.cpp, Subgroup.cpp, Vectors.cpp, Debug.cpp.
#pragma once

#include "backends/common/DebugLines.h"
#include "backends/cpu/Shape.h"
#include "backends/cpu/Target.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"
#include <functional>

namespace sextant::cpu {

/// The LLVM values of one SSA value.
struct LaneValue {
  llvm::Value *scalar = nullptr; ///< uniform and affine: lane 0's value
  llvm::Value *vector = nullptr; ///< varying, and affine that is not exact
};

/// Memory that carries a value around a loop or to another loop over chunks. LLVM promotes what it
/// can to registers.
struct Slot {
  Shape shape;
  mlir::Type type;
  llvm::Value *scalar = nullptr, *vector = nullptr; ///< allocas: one element a chunk
  unsigned count = 1;
};

/// An atomic that is performed at the end of a call.
struct Deferred {
  enum Places {
    One,       ///< one element
    OfThreads, ///< one a thread of the block
    Any,       ///< what data tells (Tallies.cpp)
  } places = One;
  /// The values to combine: a vector, or one for each chunk, or scalars.
  llvm::Value *total = nullptr;
  llvm::Value *happened = nullptr; ///< true if any thread got there
  llvm::Value *first = nullptr;    ///< Any: a total for each of the first places of the array
  llvm::Value *tags = nullptr;     ///< Any: the index of each total, or all ones
  llvm::Value *credit = nullptr;   ///< Any: below zero if the table is of no use
};

/// The alignment of shared arrays.
constexpr uint64_t sharedAlign = 64;

/// A variable of the source, in the frame that debuggers read.
struct ShownVariable {
  uint64_t offset = 0;
  unsigned bytes = 0;     ///< a component
  bool isOfLanes = false; ///< one value a lane
};

/// The memory that debuggers read. Null and empty unless variables are shown.
struct ShownMemory {
  llvm::Value *block = nullptr, *thread = nullptr, *lane = nullptr, *active = nullptr;
  llvm::Value *frames = nullptr; ///< one, or one a chunk
  llvm::Value *frame = nullptr;  ///< holds the address of the one that runs
  uint64_t frameBytes = 0;
  llvm::DenseMap<unsigned, ShownVariable> variables; ///< by number
};

class Emitter {
public:
  Emitter(const Machine &machine, Lanes lanes, llvm::Module &module, mlir::func::FuncOp task,
          DebugLines &lines);

  /// Adds the function. Fails with a diagnostic at the op.
  mlir::LogicalResult emit();

  /// The bytes of shared scratch memory that a block needs.
  uint64_t sharedBytes() const { return sharedSize; }

private:
  using Types = llvm::ArrayRef<mlir::Type>;
  using Body = llvm::function_ref<void()>;
  using IndexedBody = llvm::function_ref<void(llvm::Value *)>;

  //===--- Task.cpp: the function, the loops over blocks and chunks ---------===//
  void emitPrologue();
  void emitThreads(mlir::Block &body);
  /// Runs `body` with `chunk` set, for each chunk of the block.
  void forEachChunk(Body body);
  void setChunk(llvm::Value *index);
  /// `for (i = begin; i < end; ++i)` with i32 counters.
  void emitCountedLoop(llvm::Value *begin, llvm::Value *end, IndexedBody body,
                       const llvm::Twine &name);

  //===--- Blocks.cpp: chunks in step at block barriers ----------------------===//
  void emitBlockLevel(mlir::Block &block);
  void emitRun(llvm::ArrayRef<mlir::Operation *> run);
  void emitBlockIf(mlir::scf::IfOp op);
  void emitBlockFor(mlir::scf::ForOp op);
  void emitBlockWhile(mlir::scf::WhileOp op);
  void emitBarrierReduce(mlir::Operation &op);
  bool isRematerialised(mlir::Value value, unsigned depth = 0);
  void ensureBlockSlot(mlir::Value value);
  Slot makeBlockSlot(mlir::Value value);
  /// Makes `value` available in the current chunk.
  void fetch(mlir::Value value);
  /// Returns thread 0's value of something that the kernel promises to be uniform in the block.
  llvm::Value *blockScalar(mlir::Value value);
  void copyIntoSlots(mlir::ValueRange values, llvm::ArrayRef<Slot> slots);

  //===--- Control.cpp -------------------------------------------------------===//
  void emitOps(mlir::Block &block);
  void emitOp(mlir::Operation &op);
  void emitIf(mlir::scf::IfOp op);
  void emitDivergentIf(mlir::scf::IfOp op);
  bool emitVersioned(mlir::scf::IfOp op);
  void emitFor(mlir::scf::ForOp op);
  void emitUniformFor(mlir::scf::ForOp op);
  void emitDivergentFor(mlir::scf::ForOp op);
  bool emitStridedFor(mlir::scf::ForOp op);
  void emitWhile(mlir::scf::WhileOp op);
  void emitDivergentWhile(mlir::scf::WhileOp op);
  /// Returns a comparison of scalars that tells if all lanes hold, or null.
  llvm::Value *allLanesHold(mlir::Value condition);

  Slot makeSlot(mlir::Type type, Shape shape, unsigned count = 1);
  void storeSlot(const Slot &slot, const LaneValue &value, llvm::Value *index = nullptr);
  LaneValue loadSlot(const Slot &slot, llvm::Value *index = nullptr);
  LaneValue valueFor(const Slot &slot, mlir::Value value);

  //===--- Rows.cpp: loops over several axes ---------------------------------===//
  /// A guarded block whose counter is divided by the extent of a row.
  struct Rows {
    mlir::Value counter, quotient;
    bool hasManyRows = false;  ///< a chunk may have more rows than it is taken apart into
    Assumptions inRow, inside; ///< the chunk is in one row; and no index is clamped
    llvm::SmallVector<mlir::Operation *> clamps;
  };
  std::optional<Rows> findRows(mlir::scf::IfOp op);
  bool emitRows(mlir::scf::IfOp op, llvm::Value *all);
  /// What the guarded block computes, of other counters than those of the chunk's lanes.
  struct Elsewhere {
    mlir::Block &block;
    llvm::DenseMap<mlir::Value, llvm::Value *> known; ///< the counter, and what came of it
    bool isWide = false;                              ///< vectors
  };
  llvm::Value *evaluate(mlir::Value value, Elsewhere &at);

  //===--- Values ------------------------------------------------------------===//
  Shape shapeOf(mlir::Value value) const { return shapes.of(value); }
  void define(mlir::Value value, LaneValue lanes);
  /// Returns a uniform value as it is, and lane 0's value of an affine one.
  llvm::Value *scalar(mlir::Value value);
  llvm::Value *vector(mlir::Value value);
  llvm::Value *vectorOf(const LaneValue &value, Shape shape, mlir::Type type);
  llvm::Type *scalarType(mlir::Type type);
  llvm::Type *vectorType(mlir::Type type) { return widen(scalarType(type)); }
  /// The type of a vector with one value for each lane.
  llvm::Type *widen(llvm::Type *type);

  //===--- Vectors.cpp: masks, permutations, stack copies --------------------===//
  llvm::Value *splat(llvm::Value *value);
  llvm::Constant *iota(llvm::Type *scalar, int64_t stride = 1);
  llvm::Value *maskVector();
  llvm::Value *isAny(llvm::Value *mask);
  llvm::Value *isAll(llvm::Value *mask);
  /// An integer with one bit for each lane.
  llvm::Value *maskBits(llvm::Value *mask);
  llvm::Value *andMask(llvm::Value *condition);
  /// `value` where the mask is on, else `other`.
  llvm::Value *whereActive(llvm::Value *value, llvm::Value *other);
  llvm::Value *firstActiveLane();
  llvm::Value *lastActiveLane();
  llvm::Value *laneOfVector(llvm::Value *vector, llvm::Value *lane);
  llvm::Value *spill(llvm::Value *vector, const llvm::Twine &name);
  llvm::Value *shuffleConst(llvm::Value *a, llvm::Value *b, llvm::function_ref<int(int)> source);
  /// The elements of `count` interleaved vectors, each of a lane's elements; and back.
  llvm::SmallVector<llvm::Value *> deinterleave(llvm::Value *wide, unsigned count);
  bool transposes(llvm::Type *element, unsigned count) const;
  llvm::Value *interleave(llvm::ArrayRef<llvm::Value *> parts);
  /// Lane i gets `value` of lane `indices[i]` (i32, taken modulo the lanes).
  llvm::Value *permute(llvm::Value *value, llvm::Value *indices);
  llvm::Value *permuteNative(llvm::Value *value, llvm::Value *indices);
  llvm::AllocaInst *entryAlloca(llvm::Type *type, const llvm::Twine &name, unsigned count = 1);
  /// Runs `body` once for each active lane, in increasing order.
  void forEachActiveLane(IndexedBody body);

  //===--- Arith.cpp ---------------------------------------------------------===//
  bool emitElementwiseOp(mlir::Operation &op);
  llvm::Value *elementwise(mlir::Operation &op, llvm::ArrayRef<llvm::Value *> operands);
  llvm::Value *divide(mlir::Operation &op, llvm::Value *a, llvm::Value *b);
  llvm::Value *halfToFloat(llvm::Value *half);
  llvm::Value *floatToHalf(llvm::Value *single);
  llvm::Value *combine(simt::CombineKind kind, llvm::Value *a, llvm::Value *b, mlir::Type type);
  llvm::Constant *identityOf(simt::CombineKind kind, mlir::Type type, bool asSeen);

  //===--- Memory.cpp --------------------------------------------------------===//
  void emitAllocations();
  llvm::Value *elementAddress(mlir::Value buffer, llvm::Value *index);
  void emitLoad(simt::LoadOp op);
  void emitStore(simt::StoreOp op);
  void emitLoadVector(simt::LoadVectorOp op);
  void emitStoreVector(simt::StoreVectorOp op);
  void emitPrivateLoad(simt::LoadOp op);
  void emitPrivateStore(simt::StoreOp op);
  llvm::Value *privateBase(mlir::Value buffer);
  /// True if masked loads and stores of such elements are instructions.
  bool movesMasked(llvm::Type *element) const;
  bool emitClampedLoad(simt::LoadOp op); ///< Clamps.cpp
  llvm::Value *loadConsecutive(llvm::Type *element, llvm::Value *address);
  void storeConsecutive(llvm::Value *value, llvm::Value *address);
  llvm::Value *gather(llvm::Type *element, llvm::Value *addresses);
  void scatter(llvm::Value *value, llvm::Value *addresses);

  //===--- Atomics.cpp -------------------------------------------------------===//
  void emitAtomicRmw(simt::AtomicRmwOp op);
  void emitAtomicCas(simt::AtomicCasOp op);
  llvm::Value *atomicRmw(simt::AtomicRmwOp op, llvm::Value *address, llvm::Value *value);
  bool emitCombinedRmw(simt::AtomicRmwOp op);
  void emitRmwOfEachLane(simt::AtomicRmwOp op);
  /// Returns a function that reads one lane of `value`, in the cheapest way, by a constant
  /// (`unrolled`) or run-time lane number. Call it before the loop over lanes; `before` is the op
  /// that has the loop, which writes nothing there if it `isDeferred`.
  std::function<llvm::Value *(llvm::Value *)>
  laneReader(mlir::Value value, bool unrolled, mlir::Operation *before, bool isDeferred = false);

  //===--- Deferred.cpp: atomics performed once a call -----------------------===//
  void prepareDeferred();
  /// Searches from the end of `block`. Returns false if code before it must not be deferred.
  bool findDeferred(mlir::Block &block, bool isConditional);
  bool emitDeferred(simt::AtomicRmwOp op);
  void emitAgain(mlir::Value value);
  void flushDeferred();

  //===--- Tallies.cpp: deferred atomics at places that data tells -----------===//
  void prepareTally(simt::AtomicRmwOp op, Deferred &place);
  void emitTally(simt::AtomicRmwOp op, Deferred &place);
  void flushTally(simt::AtomicRmwOp op, Deferred &place);

  //===--- Subgroup.cpp ------------------------------------------------------===//
  void emitShuffle(simt::ShuffleOp op);
  void emitBallot(simt::BallotOp op);
  void emitMatch(simt::MatchOp op);
  void emitVote(simt::VoteOp op);
  void emitReduce(simt::ReduceOp op);
  void emitScan(simt::ScanOp op);
  llvm::Value *reduceTile(simt::CombineKind kind, llvm::Value *value, mlir::Type type,
                          unsigned size);
  llvm::Value *reduceAll(simt::CombineKind kind, llvm::Value *value, mlir::Type type);
  llvm::Value *scanTile(simt::CombineKind kind, llvm::Value *value, mlir::Type type, unsigned size,
                        bool exclusive);

  //===--- Debug.cpp: variables for debuggers --------------------------------===//
  void prepareVariables();
  void declareArguments();
  void declareShared();
  void declareThread(DebugLines::Scope in);
  void declareAt(llvm::Value *slot, uint64_t offset, llvm::DILocalVariable *variable,
                 DebugLines::Scope in, bool isPointer = false);
  void showBlock();
  void showChunk();
  void showMask();
  void emitDebugValue(simt::DebugValueOp op);

  void fail(mlir::Operation &op, const llvm::Twine &message);
  llvm::BasicBlock *newBlock(const llvm::Twine &name);

  const Machine &machine;
  const Lanes lanes;
  llvm::Module &module;
  mlir::func::FuncOp task;
  ShapeAnalysis shapes;
  Assumptions assumed; ///< by the copy of code that is emitted
  llvm::Value *assumedQuotient = nullptr;
  DebugLines &lines;
  llvm::IRBuilder<> b;
  llvm::Function *function = nullptr;
  bool failed = false;

  llvm::Value *argsArg = nullptr, *sharedArg = nullptr, *beginArg = nullptr, *endArg = nullptr,
              *gridArg = nullptr;
  llvm::Value *blockIndex = nullptr;
  llvm::Value *chunk = nullptr;      ///< i32, null outside of the loops over chunks
  llvm::Value *threadBase = nullptr; ///< thread index of lane 0
  /// A vector of <width x i1>, or null if every lane is active. Where code has effects, at least
  /// one lane is active.
  llvm::Value *mask = nullptr;
  bool isVersioned = false; ///< inside a copy of code made for one kind of mask
  bool isAgain = false;     ///< the code repeats a computation from the other side of a barrier

  llvm::DenseMap<mlir::Value, LaneValue> values;
  llvm::DenseMap<mlir::Value, uint64_t> sharedOffsets;
  llvm::DenseMap<mlir::Value, llvm::Value *> privates;
  llvm::DenseMap<mlir::Value, Slot> blockSlots; ///< of values that cross barriers
  /// For block-level loops whose counter differs between threads: the value that was added.
  llvm::DenseMap<mlir::Value, llvm::Value *> blockOffsets;
  llvm::MapVector<mlir::Operation *, Deferred> deferred;
  uint64_t sharedSize = 0;
  ShownMemory shown;
};

} // namespace sextant::cpu
