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
// Neighbouring places may share a tag, which then is of the first of them; a total that nothing was
// added to changes no memory. A slot keeps its place, so that places far apart cost one look at the
// tag more than without a table. Where there are few turns, some of the slots do: each takes time
// at both ends. No program can notice, but that sums of reals are rounded in another order: threads
// run in no defined order, and nothing later in a thread's own program order touches global memory.
#include "frontend/ir/transforms/Combine.h"
#include "frontend/ir/transforms/GlobalAccess.h"
#include "frontend/ir/transforms/Passes.h"
#include "frontend/ir/transforms/Turns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sextant::simt;

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
  unsigned log2Neighbours; ///< that share a tag
  bool looks;              ///< at a tag by a load, before a compare-and-swap
  Value used = {};         ///< how many slots are used

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
  Value shared(Type type, unsigned count, llvm::StringRef name) {
    return b.create<SharedOp>(loc, BufferType::get(b.getContext(), type, Space::Shared, count),
                              name);
  }
  /// The tag of a place, and its index for a slot.
  Value tagOf(Value placeOrSlot) {
    return log2Neighbours == 0
               ? placeOrSlot
               : b.create<arith::ShRUIOp>(loc, placeOrSlot, integer(log2Neighbours));
  }
  /// The block's threads share the slots, or the tags.
  void forEach(Value count, llvm::function_ref<void(Value slot)> body) {
    auto loop = b.create<scf::ForOp>(loc, b.create<ThreadIdxOp>(loc), count, integer(blockDim));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    body(loop.getInductionVar());
  }
  Value neutralOf(const Table &table) {
    AtomicRmwOp op = table.op;
    return createNeutral(b, loc, op.getKind(), op.getValue().getType());
  }
  Table allocate(AtomicRmwOp op) {
    return {op, shared(b.getI32Type(), slots >> log2Neighbours, "places"),
            shared(op.getValue().getType(), slots, "totals")};
  }
  void chooseSlots(scf::ForOp turns);
  void clear(llvm::ArrayRef<Table> all);
  Value claim(const Table &table, Value tag, Value index);
  Value lookOrClaim(const Table &table, Value tag, Value index);
  Value isUpdated(const Table &table, Value tag, Value slot);
  Value placeOf(Value tag, Value slot);
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
  auto clearTags = [&](Value index) {
    for (const Table &table : all)
      b.create<StoreOp>(loc, integer(none), table.tags, index, /*volatile_=*/false);
  };
  forEach(used, [&](Value slot) {
    if (log2Neighbours == 0)
      clearTags(slot);
    for (const Table &table : all)
      b.create<StoreOp>(loc, neutralOf(table), table.totals, slot, /*volatile_=*/false);
  });
  if (log2Neighbours != 0)
    forEach(tagOf(used), clearTags);
  b.create<BarrierOp>(loc);
}

/// Returns the tag that is there: this one if none was.
Value Tables::claim(const Table &table, Value tag, Value index) {
  Value old = b.create<AtomicCasOp>(loc, b.getI32Type(), integer(none), tag, table.tags, index);
  return b.create<arith::SelectOp>(loc, isEqual(old, integer(none)), tag, old);
}

/// The same, without a compare-and-swap where there is a tag already.
Value Tables::lookOrClaim(const Table &table, Value tag, Value index) {
  Value found = load(table.tags, index, /*isVolatile=*/true);
  auto isFree = b.create<scf::IfOp>(loc, b.getI32Type(), isEqual(found, integer(none)),
                                    /*withElseRegion=*/true);
  b.setInsertionPointToStart(isFree.thenBlock());
  b.create<scf::YieldOp>(loc, claim(table, tag, index));
  b.setInsertionPointToStart(isFree.elseBlock());
  b.create<scf::YieldOp>(loc, found);
  b.setInsertionPointAfter(isFree);
  return isFree.getResult(0);
}

void Tables::update(const Table &table) {
  AtomicRmwOp op = table.op;
  b.setInsertionPoint(op);
  loc = op.getLoc();
  Value place = op.getIndex();
  Value slot = b.create<arith::AndIOp>(loc, place, b.create<arith::SubIOp>(loc, used, integer(1)));
  Value tag = tagOf(place), index = tagOf(slot);
  Value now = looks ? lookOrClaim(table, tag, index) : claim(table, tag, index);
  auto branch = b.create<scf::IfOp>(loc, isEqual(now, tag), /*withElseRegion=*/true);
  b.setInsertionPointToStart(branch.thenBlock());
  setOftenAtOnePlace(combine(op.getKind(), op.getValue(), table.totals, slot));
  b.setInsertionPointToStart(branch.elseBlock());
  combine(op.getKind(), op.getValue(), op.getBuffer(), place);
}

/// True if the slot's total may change memory. A slot of its own has a tag then; one that shares a
/// tag has another total than at first.
Value Tables::isUpdated(const Table &table, Value tag, Value slot) {
  auto differ = [&](Value left, Value right) -> Value {
    return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, left, right);
  };
  if (log2Neighbours == 0)
    return differ(tag, integer(none));
  auto bits = [&](Value value) -> Value {
    const Type type = b.getIntegerType(value.getType().getIntOrFloatBitWidth());
    return value.getType() == type ? value : b.create<arith::BitcastOp>(loc, type, value);
  };
  return differ(bits(load(table.totals, slot)), bits(neutralOf(table)));
}

/// The place of a slot, which is the tag, or one of its neighbours.
Value Tables::placeOf(Value tag, Value slot) {
  if (log2Neighbours == 0)
    return tag;
  Value first = b.create<arith::ShLIOp>(loc, tag, integer(log2Neighbours));
  Value which = b.create<arith::AndIOp>(loc, slot, integer((1 << log2Neighbours) - 1));
  return b.create<arith::OrIOp>(loc, first, which);
}

void Tables::flush(llvm::ArrayRef<Table> all) {
  b.create<BarrierOp>(loc);
  forEach(used, [&](Value slot) {
    for (const Table &table : all) {
      AtomicRmwOp op = table.op;
      Value tag = load(table.tags, tagOf(slot));
      auto branch = b.create<scf::IfOp>(loc, isUpdated(table, tag, slot), /*withElseRegion=*/false);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      combine(op.getKind(), load(table.totals, slot), op.getBuffer(), placeOf(tag, slot));
    }
  });
}

//===--- Tasks -------------------------------------------------------------===//

/// The updates of the task that tables collect.
static llvm::SmallVector<AtomicRmwOp> updatesOf(func::FuncOp task, unsigned widest) {
  llvm::SmallVector<AtomicRmwOp> ops;
  scf::ForOp turns = turnsOf(task);
  if (turns && !synchronises(task))
    (void)collectLate(
        *turns.getBody(), ops, [&](AtomicRmwOp op, llvm::ArrayRef<AtomicRmwOp> later) {
          return op.getValue().getType().getIntOrFloatBitWidth() <= widest && fitsTable(op, later);
        });
  return ops;
}

bool sextant::simt::hasTallies(ModuleOp module, unsigned widest) {
  return llvm::any_of(module.getOps<func::FuncOp>(), [&](func::FuncOp task) {
    return getTaskInfo(task) && !updatesOf(task, widest).empty();
  });
}

/// The slots of each table, a power of two; 0: there is not enough memory for any.
static unsigned slotsOf(llvm::ArrayRef<AtomicRmwOp> ops, uint64_t mostBytes, unsigned neighbours) {
  uint64_t bytes = 0; // all slots that share a tag
  for (AtomicRmwOp op : ops)
    bytes += 4 + neighbours * op.getValue().getType().getIntOrFloatBitWidth() / 8;
  return unsigned(llvm::bit_floor(mostBytes / bytes)) * neighbours;
}

void sextant::simt::tallyAtomics(ModuleOp module, const TableSupport &support,
                                 llvm::function_ref<bool(func::FuncOp, uint64_t)> fits) {
  for (auto task : module.getOps<func::FuncOp>()) {
    const std::optional<TaskInfo> info = getTaskInfo(task);
    const llvm::SmallVector<AtomicRmwOp> ops = updatesOf(task, support.widest);
    if (ops.empty())
      continue;
    scf::ForOp turns = turnsOf(task);
    const uint64_t bytes =
        std::min(support.mostBytes, uint64_t(support.bytesOfThread) * info->blockDim);
    const unsigned slots = slotsOf(ops, bytes, support.neighbours);
    if (!slots || !fits(task, bytes))
      continue;
    Tables tables{OpBuilder::atBlockBegin(&task.getBody().front()),
                  turns.getLoc(),
                  info->blockDim,
                  slots,
                  llvm::Log2_32(support.neighbours),
                  support.looks};
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
