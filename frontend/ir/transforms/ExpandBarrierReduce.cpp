// Reducing barriers for targets without them, with one barrier each. Threads count in
// shared memory those whose predicate decides: those that hold (any, count), or those
// that do not (all). Three counters take turns, so that no thread is in the way of one
// that is late or early:
//
//     if (thread == 0) counters[next] = 0
//     if (decides) atomic counters[turn] += 1
//     barrier
//     result = counters[turn]
//     turn = next
//
// A counter is cleared between the barriers of the last call and of this one. It was read
// last before the barrier of the last call, and is next counted up after that of this one.
// The first call's counter is cleared at the task's start, and a barrier comes before the
// call: one of the task's own, if there is one.
#include "frontend/ir/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace sextant::simt;

namespace {

struct BarrierReduceExpander {
  OpBuilder b;
  Location loc;

  explicit BarrierReduceExpander(Operation *before) : b(before), loc(before->getLoc()) {}

  Value integer(int32_t value) { return createWord(b, loc, value); }
  Value compare(arith::CmpIPredicate predicate, Value value, int32_t with) {
    return b.create<arith::CmpIOp>(loc, predicate, value, integer(with));
  }
  Value load(Value buffer, Value index) {
    return b.create<LoadOp>(loc, b.getI32Type(), buffer, index, false);
  }
  void store(Value value, Value buffer, Value index) {
    b.create<StoreOp>(loc, value, buffer, index, false);
  }
  void onlyIf(Value condition, llvm::function_ref<void()> body) {
    auto branch = b.create<scf::IfOp>(loc, condition, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    body();
  }
  void clear(Value counters, Value turn) {
    Value isFirst = compare(arith::CmpIPredicate::eq, b.create<ThreadIdxOp>(loc), 0);
    onlyIf(isFirst, [&] { store(integer(0), counters, turn); });
  }
};

/// The state that the reducing barriers of a task share. `turns` is the thread's own variable, the
/// same in all threads, as they make the same calls.
struct Counters {
  Value counts, turns;
};

} // namespace

constexpr int32_t counterCount = 3;

static Counters makeCounters(func::FuncOp task, BarrierReduceOp firstCall) {
  Block &entry = task.getBody().front();
  BarrierReduceExpander e(&entry.front());
  Type i32 = e.b.getI32Type();
  auto allocate = [&](Space space, int32_t count) {
    return BufferType::get(task.getContext(), i32, space, count);
  };
  Counters counters;
  counters.counts =
      e.b.create<SharedOp>(e.loc, allocate(Space::Shared, counterCount), "reducing barrier");
  counters.turns = e.b.create<PrivateOp>(e.loc, allocate(Space::Private, 1));
  e.store(e.integer(0), counters.turns, e.integer(0));
  e.clear(counters.counts, e.integer(0));
  Operation *first = entry.findAncestorOpInBlock(*firstCall);
  bool hasBarrier = llvm::any_of(llvm::make_range(entry.begin(), first->getIterator()),
                                 [](Operation &op) { return isa<BarrierOp>(op); });
  if (!hasBarrier)
    BarrierReduceExpander(first).b.create<BarrierOp>(firstCall.getLoc());
  return counters;
}

static void expand(BarrierReduceOp op, const Counters &counters) {
  BarrierReduceExpander e(op);
  Value turn = e.load(counters.turns, e.integer(0));
  Value isLast = e.compare(arith::CmpIPredicate::eq, turn, counterCount - 1);
  Value next = e.b.create<arith::SelectOp>(e.loc, isLast, e.integer(0),
                                           e.b.create<arith::AddIOp>(e.loc, turn, e.integer(1)));
  e.store(next, counters.turns, e.integer(0));
  e.clear(counters.counts, next);
  bool isAll = op.getKind() == BarrierReduceKind::All;
  Value decides = op.getPredicate();
  if (isAll) {
    Value truth = e.b.create<arith::ConstantOp>(e.loc, e.b.getBoolAttr(true));
    decides = e.b.create<arith::XOrIOp>(e.loc, decides, truth);
  }
  e.onlyIf(decides, [&] {
    e.b.create<AtomicRmwOp>(e.loc, e.b.getI32Type(), CombineKind::AddI, e.integer(1),
                            counters.counts, turn);
  });
  e.b.create<BarrierOp>(e.loc);
  Value result = e.load(counters.counts, turn);
  if (op.getKind() != BarrierReduceKind::Count)
    result = e.b.create<arith::ExtUIOp>(
        e.loc, e.b.getI32Type(),
        e.compare(isAll ? arith::CmpIPredicate::eq : arith::CmpIPredicate::ne, result, 0));
  op.getResult().replaceAllUsesWith(result);
  op.erase();
}

void sextant::simt::expandBarrierReduce(ModuleOp module) {
  for (auto task : module.getOps<func::FuncOp>()) {
    SmallVector<BarrierReduceOp> ops;
    task.walk([&](BarrierReduceOp op) { ops.push_back(op); });
    if (ops.empty())
      continue;
    Counters counters = makeCounters(task, ops.front());
    for (BarrierReduceOp op : ops)
      expand(op, counters);
  }
}
