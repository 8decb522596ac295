// Atomics whose old value nobody uses, at data-dependent places: `bins[x[i]] += 1`. One each
// would have many threads wait for few places. So where blocks take turns (Turns.h), a
// block keeps a table in shared memory of the places that its threads updated first:
//
//     tags[all] = none, totals[all] = neutral; barrier
//     for the blocks of iterations whose turn it is:
//       slot = place % slots
//       if tags[slot] is empty: it becomes the place, if no other thread is quicker
//       tags[slot] is the place ? atomic op totals[slot] : atomic op memory[place]
//     barrier; for each slot with a tag: atomic op memory[tag], totals[slot]
//
// A slot keeps its place, so that places far apart cost one look at the tag more than without a
// table. Where there are few turns, some of the slots do: each takes time at both ends. No program
// can notice, but that sums of reals are rounded in another order: threads run in no defined order,
// and nothing later in a thread's own program order touches global memory.
#include "frontend/ir/transforms/Combine.h"
#include "frontend/ir/transforms/GlobalAccess.h"
#include "frontend/ir/transforms/Passes.h"
#include "frontend/ir/transforms/Turns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sextant::simt;

/// All tables of a block have so many bytes for each of its threads at most, so that
/// multiprocessors are still full of threads.
static constexpr uint64_t bytesOfThread = 64;
static constexpr int64_t none = -1;
/// Blocks of fewer turns use one of so many parts of their slots.
static constexpr unsigned manyTurns = 4, parts = 4;

//===--- Which atomics -----------------------------------------------------===//

/// True if `value` comes of memory, by arithmetic or choices.
static bool isOfData(Value value, unsigned depth = 0) {
  Operation *op = value.getDefiningOp();
  if (!op || depth > 16)
    return false;
  return isa<LoadOp, LoadVectorOp>(op) || op->getNumRegions() ||
         llvm::any_of(op->getOperands(),
                      [&](Value operand) { return isOfData(operand, depth + 1); });
}

/// True if `buffer` is there at the task's end, too.
static bool isOfTask(Value buffer) {
  return !buffer.getDefiningOp() || buffer.getDefiningOp<ViewOp>();
}

/// In one thread, different operators on one element stay in order. Vectors have instructions.
static bool fitsTable(AtomicRmwOp op, llvm::ArrayRef<AtomicRmwOp> later) {
  return isOfData(op.getIndex()) && isOfTask(op.getBuffer()) &&
         op.getIndex().getType().isInteger(32) && llvm::all_of(later, [&](AtomicRmwOp other) {
           return other.getBuffer() != op.getBuffer() &&
                  (other.getKind() == op.getKind() ||
                   other.getValue().getType() != op.getValue().getType());
         });
}

//===--- Tables ------------------------------------------------------------===//

namespace {

struct Table {
  AtomicRmwOp op;
  Value tags, totals; ///< the block's tables
};

struct Tables {
  OpBuilder b;
  Location loc;
  unsigned blockDim, slots;
  bool looks;      ///< at a tag by a load, before a compare-and-swap
  Value used = {}; ///< how many slots are used

  Value integer(int64_t value) { return createWord(b, loc, value); }
  Value isEqual(Value left, Value right) {
    return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, left, right);
  }
  Value load(Value buffer, Value index, bool isVolatile = false) {
    const Type element = cast<BufferType>(buffer.getType()).getElementType();
    return b.create<LoadOp>(loc, element, buffer, index, isVolatile);
  }
  AtomicRmwOp combine(CombineKind kind, Value value, Value buffer, Value index) {
    return b.create<AtomicRmwOp>(loc, value.getType(), kind, value, buffer, index);
  }
  Value shared(Type type, llvm::StringRef name) {
    return b.create<SharedOp>(loc, BufferType::get(b.getContext(), type, Space::Shared, slots),
                              name);
  }
  /// The block's threads share the slots.
  void forEachSlot(llvm::function_ref<void(Value slot)> body) {
    auto loop = b.create<scf::ForOp>(loc, b.create<ThreadIdxOp>(loc), used, integer(blockDim));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    body(loop.getInductionVar());
  }
  Table allocate(AtomicRmwOp op) {
    return {op, shared(b.getI32Type(), "places"), shared(op.getValue().getType(), "totals")};
  }
  void chooseSlots(scf::ForOp turns);
  void clear(llvm::ArrayRef<Table> all);
  Value claim(const Table &table, Value place, Value slot);
  Value lookOrClaim(const Table &table, Value place, Value slot);
  void update(const Table &table);
  void flush(llvm::ArrayRef<Table> all);
};

} // namespace

void Tables::chooseSlots(scf::ForOp turns) {
  Value count = b.create<arith::SubIOp>(loc, turns.getUpperBound(), turns.getLowerBound());
  Value few = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, count, integer(manyTurns));
  used = b.create<arith::SelectOp>(loc, few, integer(std::max(1u, slots / parts)), integer(slots));
}

void Tables::clear(llvm::ArrayRef<Table> all) {
  forEachSlot([&](Value slot) {
    for (const Table &table : all) {
      AtomicRmwOp op = table.op;
      b.create<StoreOp>(loc, integer(none), table.tags, slot, /*volatile_=*/false);
      b.create<StoreOp>(loc, createNeutral(b, loc, op.getKind(), op.getValue().getType()),
                        table.totals, slot, /*volatile_=*/false);
    }
  });
  b.create<BarrierOp>(loc);
}

/// Returns the place that has the slot: this one if none had it.
Value Tables::claim(const Table &table, Value place, Value slot) {
  Value old = b.create<AtomicCasOp>(loc, b.getI32Type(), integer(none), place, table.tags, slot);
  return b.create<arith::SelectOp>(loc, isEqual(old, integer(none)), place, old);
}

/// The same, without a compare-and-swap where a place has the slot already.
Value Tables::lookOrClaim(const Table &table, Value place, Value slot) {
  Value tag = load(table.tags, slot, /*isVolatile=*/true);
  auto isFree = b.create<scf::IfOp>(loc, b.getI32Type(), isEqual(tag, integer(none)),
                                    /*withElseRegion=*/true);
  b.setInsertionPointToStart(isFree.thenBlock());
  b.create<scf::YieldOp>(loc, claim(table, place, slot));
  b.setInsertionPointToStart(isFree.elseBlock());
  b.create<scf::YieldOp>(loc, tag);
  b.setInsertionPointAfter(isFree);
  return isFree.getResult(0);
}

void Tables::update(const Table &table) {
  AtomicRmwOp op = table.op;
  b.setInsertionPoint(op);
  loc = op.getLoc();
  Value place = op.getIndex();
  Value slot = b.create<arith::AndIOp>(loc, place, b.create<arith::SubIOp>(loc, used, integer(1)));
  Value now = looks ? lookOrClaim(table, place, slot) : claim(table, place, slot);
  auto branch = b.create<scf::IfOp>(loc, isEqual(now, place), /*withElseRegion=*/true);
  b.setInsertionPointToStart(branch.thenBlock());
  setOftenAtOnePlace(combine(op.getKind(), op.getValue(), table.totals, slot));
  b.setInsertionPointToStart(branch.elseBlock());
  combine(op.getKind(), op.getValue(), op.getBuffer(), place);
}

void Tables::flush(llvm::ArrayRef<Table> all) {
  b.create<BarrierOp>(loc);
  forEachSlot([&](Value slot) {
    for (const Table &table : all) {
      AtomicRmwOp op = table.op;
      Value tag = load(table.tags, slot);
      Value isTaken = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, tag, integer(none));
      auto branch = b.create<scf::IfOp>(loc, isTaken, /*withElseRegion=*/false);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      combine(op.getKind(), load(table.totals, slot), op.getBuffer(), tag);
    }
  });
}

//===--- Tasks -------------------------------------------------------------===//

/// The slots of each table, a power of two; 0: there is not enough memory for any.
static unsigned slotsOf(llvm::ArrayRef<AtomicRmwOp> ops, uint64_t mostBytes) {
  uint64_t entries = 0;
  for (AtomicRmwOp op : ops)
    entries += 4 + op.getValue().getType().getIntOrFloatBitWidth() / 8;
  return unsigned(llvm::bit_floor(mostBytes / entries));
}

void sextant::simt::tallyAtomics(ModuleOp module, const TableSupport &support,
                                 llvm::function_ref<bool(func::FuncOp, uint64_t)> fits) {
  for (auto task : module.getOps<func::FuncOp>()) {
    const std::optional<TaskInfo> info = getTaskInfo(task);
    scf::ForOp turns = turnsOf(task);
    if (!turns || synchronises(task))
      continue;
    llvm::SmallVector<AtomicRmwOp> ops;
    (void)collectLate(*turns.getBody(), ops,
                      [&](AtomicRmwOp op, llvm::ArrayRef<AtomicRmwOp> later) {
                        return op.getValue().getType().getIntOrFloatBitWidth() <= support.widest &&
                               fitsTable(op, later);
                      });
    const uint64_t bytes = std::min(support.mostBytes, bytesOfThread * info->blockDim);
    const unsigned slots = ops.empty() ? 0 : slotsOf(ops, bytes);
    if (!slots || !fits(task, bytes))
      continue;
    Tables tables{OpBuilder::atBlockBegin(&task.getBody().front()), turns.getLoc(), info->blockDim,
                  slots, support.looks};
    llvm::SmallVector<Table> all;
    for (AtomicRmwOp op : ops)
      all.push_back(tables.allocate(op));
    tables.b.setInsertionPoint(turns);
    tables.chooseSlots(turns);
    tables.clear(all);
    tables.b.setInsertionPointAfter(turns);
    tables.flush(all);
    for (const Table &table : all) {
      tables.update(table);
      AtomicRmwOp(table.op).erase();
    }
  }
}
