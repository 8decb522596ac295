// A thread that loads, updates, and only then loads for its next turn waits for memory each time.
// So the loop of a block's turns
//
//     for turn in first..last:
//         number = turn * threads + thread
//         if number < n:
//             load; update
//
// first loses its test, since a thread's last turn follows from n, and then loads ahead:
//
//     last = min(last, (n - 1 - thread) / threads + 1)
//     for each four turns of first..last:
//         load; load; load; load; update; update; update; update
//     for each other turn:
//         load; update
//
// No program can notice: its iterations have no order.
#include "frontend/ir/transforms/Turns.h"
#include "frontend/ir/transforms/GlobalAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sextant::simt;

scf::ForOp sextant::simt::turnsOf(func::FuncOp task) {
  for (auto loop : task.getBody().front().getOps<scf::ForOp>())
    if (isTurns(loop))
      return loop;
  return nullptr;
}

namespace {

struct Words {
  OpBuilder b;
  Location loc;

  Value integer(int64_t value) { return createWord(b, loc, value); }
  Value add(Value left, Value right) { return b.create<arith::AddIOp>(loc, left, right); }
  Value sub(Value left, Value right) { return b.create<arith::SubIOp>(loc, left, right); }
};

} // namespace

//===--- The test ----------------------------------------------------------===//

/// True if `number` is `turn` * `threads` + the thread's index.
static bool isNumber(Value number, Value turn, unsigned threads) {
  auto sum = number.getDefiningOp<arith::AddIOp>();
  auto product = sum ? sum.getLhs().getDefiningOp<arith::MulIOp>() : nullptr;
  return product && sum.getRhs().getDefiningOp<ThreadIdxOp>() && product.getLhs() == turn &&
         constantInteger(product.getRhs()) == threads;
}

/// The bound that all of the body is tested against, if it is the last thing there; or null.
static scf::IfOp testOf(scf::ForOp loop, unsigned threads) {
  Operation *last = loop.getBody()->getTerminator()->getPrevNode();
  auto test = dyn_cast_or_null<scf::IfOp>(last);
  if (!test || test.elseBlock())
    return nullptr;
  auto below = test.getCondition().getDefiningOp<arith::CmpIOp>();
  const bool isTest = below && below.getPredicate() == arith::CmpIPredicate::slt &&
                      below.getLhs().getType().isInteger(32) &&
                      isNumber(below.getLhs(), loop.getInductionVar(), threads) &&
                      loop.isDefinedOutsideOfLoop(below.getRhs());
  return isTest && llvm::all_of(loop.getBody()->without_terminator(),
                                [&](Operation &op) { return &op == last || isPure(&op); })
             ? test
             : nullptr;
}

/// Has the loop end where the thread's iterations do.
static void dropTest(scf::ForOp loop, unsigned threads) {
  scf::IfOp test = testOf(loop, threads);
  if (!test)
    return;
  Words at{OpBuilder(loop), test.getLoc()};
  auto below = test.getCondition().getDefiningOp<arith::CmpIOp>();
  Value thread = at.b.create<ThreadIdxOp>(at.loc);
  Value most = at.sub(at.sub(below.getRhs(), at.integer(1)), thread);
  Value turns = at.b.create<arith::ShRSIOp>(at.loc, most, at.integer(llvm::Log2_32(threads)));
  loop.setUpperBound(
      at.b.create<arith::MinSIOp>(at.loc, loop.getUpperBound(), at.add(turns, at.integer(1))));
  test.thenBlock()->getTerminator()->erase();
  test->getBlock()->getOperations().splice(test->getIterator(), test.thenBlock()->getOperations());
  test.erase();
}

//===--- Loads -------------------------------------------------------------===//

/// As many loads as a thread has on their way.
static constexpr unsigned mostLoads = 8, mostTurns = 4;

static bool isLoad(Operation &op) {
  if (auto load = dyn_cast<LoadOp>(op))
    return isGlobal(load.getBuffer()) && !load.getVolatile_();
  auto load = dyn_cast<LoadVectorOp>(op);
  return load && isGlobal(load.getBuffer());
}

/// Runs several turns together: what stands before the first effect, then the rest.
static void loadAhead(scf::ForOp loop) {
  llvm::SmallVector<Operation *> ahead, rest;
  unsigned loads = 0;
  for (Operation &op : loop.getBody()->without_terminator()) {
    const bool isAhead = rest.empty() && op.getNumRegions() == 0 && (isLoad(op) || isPure(&op));
    (isAhead ? ahead : rest).push_back(&op);
    loads += isAhead && isLoad(op);
  }
  const unsigned turns =
      loads ? std::min(mostTurns, unsigned(llvm::bit_floor(mostLoads / loads))) : 0;
  if (turns < 2 || constantInteger(loop.getStep()) != 1)
    return;
  Words at{OpBuilder(loop), loop.getLoc()};
  Value first = loop.getLowerBound();
  Value count =
      at.b.create<arith::MaxSIOp>(at.loc, at.sub(loop.getUpperBound(), first), at.integer(0));
  Value whole = at.b.create<arith::AndIOp>(at.loc, count, at.integer(-int64_t(turns)));
  Value others = at.add(first, whole);
  auto together = at.b.create<scf::ForOp>(at.loc, first, others, at.integer(turns));
  setUnroll(together, 1);
  loop.setLowerBound(others);
  at.b.setInsertionPointToStart(together.getBody());
  llvm::SmallVector<IRMapping> mappings(turns);
  for (const auto &[i, mapping] : llvm::enumerate(mappings))
    mapping.map(loop.getInductionVar(), at.add(together.getInductionVar(), at.integer(int64_t(i))));
  for (const auto &part : {ahead, rest})
    for (IRMapping &mapping : mappings)
      for (Operation *op : part)
        at.b.clone(*op, mapping);
}

void sextant::simt::loadAhead(ModuleOp module) {
  for (auto task : module.getOps<func::FuncOp>())
    if (scf::ForOp loop = turnsOf(task)) {
      moveLoopInvariantCode(loop);
      dropTest(loop, getTaskInfo(task)->blockDim);
      ::loadAhead(loop);
    }
}
