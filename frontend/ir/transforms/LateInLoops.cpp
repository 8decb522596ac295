// In
//
//     for j: out[0] += x[i, j]
//
// `x` may be the memory of `out`, and then a load has to see the thread's own updates before it.
// The addresses that an innermost loop loads from lie between those of its first and its last
// iteration, where its indices only grow or only shrink. So a thread compares before the loop:
//
//     if the place lies before or after all of them:
//         for j: variable += x[i, j]
//     else:
//         update memory by the variable
//         for j: out[0] += x[i, j]
#include "frontend/ir/transforms/LateInLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

#include <optional>

using namespace mlir;
using namespace sextant::simt;

/// As many loads as a loop may have: each is compared with each place.
static constexpr unsigned mostCompared = 4;

//===--- Indices -----------------------------------------------------------===//

namespace {

/// How an index changes from one iteration to the next. It wraps nowhere if it `isExact`, and goes
/// up by one if it `isCount`.
struct Course {
  bool varies = false, isExact = true, isCount = true;
};

} // namespace

static bool cannotWrap(Operation *op) {
  auto flags = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op);
  return flags && flags.hasNoSignedWrap();
}

/// Nothing if the index may go up and down, or is not arithmetic on what is there before the loop.
static std::optional<Course> courseOf(Value value, scf::ForOp loop, unsigned depth = 0) {
  if (value == loop.getInductionVar())
    return Course{.varies = true};
  if (loop.isDefinedOutsideOfLoop(value))
    return Course();
  Operation *op = value.getDefiningOp();
  if (!op || depth > 8 || op->getNumRegions() || !isPure(op))
    return std::nullopt;
  Course all;
  unsigned varying = 0;
  for (Value operand : op->getOperands()) {
    const std::optional<Course> course = courseOf(operand, loop, depth + 1);
    if (!course)
      return std::nullopt;
    varying += course->varies;
    all.isExact &= course->isExact;
    all.isCount &= course->isCount;
  }
  if (!varying)
    return Course();
  all.varies = true;
  const bool isSum = isa<arith::AddIOp, arith::SubIOp>(op);
  if (varying > 1 || !(isSum || isa<arith::MulIOp, arith::ExtSIOp>(op)))
    return std::nullopt;
  if (isa<arith::ExtSIOp>(op))
    return all;
  all.isExact &= cannotWrap(op);
  all.isCount &= isSum && !(isa<arith::SubIOp>(op) && courseOf(op->getOperand(1), loop)->varies);
  return all.isExact || all.isCount ? std::optional(all) : std::nullopt;
}

Value sextant::simt::computeAgain(OpBuilder &b, Value value, IRMapping &mapping,
                                  llvm::function_ref<bool(Value)> stays, bool mayWrap) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  if (!op || stays(value))
    return value;
  for (Value operand : op->getOperands())
    mapping.map(operand, computeAgain(b, operand, mapping, stays, mayWrap));
  Operation *copy = b.clone(*op, mapping);
  if (mayWrap)
    llvm::TypeSwitch<Operation *>(copy).Case<arith::AddIOp, arith::SubIOp, arith::MulIOp>(
        [](auto sum) { sum.setOverflowFlags(arith::IntegerOverflowFlags::none); });
  return copy->getResult(0);
}

//===--- Which loops -------------------------------------------------------===//

/// The loop of the load, if it can find out before it begins where it loads; else null.
static scf::ForOp loopOf(LoadOp load) {
  auto loop =
      dyn_cast_or_null<scf::ForOp>(load->getParentOfType<LoopLikeOpInterface>().getOperation());
  const bool isInner =
      loop && !loop.getBody()
                   ->walk([](LoopLikeOpInterface) { return WalkResult::interrupt(); })
                   .wasInterrupted();
  return isInner && !load.getVolatile_() && constantInteger(loop.getStep()) == 1 &&
                 courseOf(load.getIndex(), loop)
             ? loop
             : nullptr;
}

/// True if after the op, loads may have to see what other threads have collected.
static bool ordersThreads(Operation *op) {
  return op->hasTrait<BlockBarrier>() || op->hasTrait<Subgroup>();
}

static bool isGlobalLoad(LoadOp load) { return isGlobal(load.getBuffer()); }

void sextant::simt::collectInLoop(scf::ForOp loop, llvm::SmallVectorImpl<AtomicRmwOp> &found,
                                  FitsLate fits, LateLoops &loops) {
  llvm::SmallVector<AtomicRmwOp> all(found.begin(), found.end());
  llvm::SmallVector<LoadOp> loads;
  const bool isStopped =
      loop->walk([&](Operation *op) {
            if (auto load = dyn_cast<LoadOp>(op); load && isGlobalLoad(load)) {
              loads.push_back(load);
              return loops.mayLoad && loopOf(load) ? WalkResult::advance()
                                                   : WalkResult::interrupt();
            }
            auto rmw = dyn_cast<AtomicRmwOp>(op);
            if (rmw && canBeLate(rmw) && fits(rmw, all)) {
              all.push_back(rmw);
              return WalkResult::advance();
            }
            const bool isOther =
                ordersThreads(op) || (op->getNumRegions() == 0 && touchesGlobalMemory(op));
            return isOther ? WalkResult::interrupt() : WalkResult::advance();
          })
          .wasInterrupted();
  const bool readsPlace = llvm::any_of(loads, [&](LoadOp load) {
    return llvm::any_of(all, [&](AtomicRmwOp op) { return op.getBuffer() == load.getBuffer(); });
  });
  if (isStopped || readsPlace || all.size() == found.size() || loads.size() > mostCompared)
    return;
  found.assign(all.begin(), all.end());
  for (LoadOp load : loads)
    if (!llvm::is_contained(loops.reading, loopOf(load)))
      loops.reading.push_back(loopOf(load));
}

//===--- The two loops -----------------------------------------------------===//

namespace {

/// Compares places before a loop.
struct Comparison {
  OpBuilder b;
  scf::ForOp loop;
  Location loc = loop.getLoc();

  Value both(Value left, Value right) {
    return left ? Value(b.create<arith::AndIOp>(loc, left, right)) : right;
  }
  Value compare(arith::CmpIPredicate predicate, Value distance, int64_t with) {
    Value bound = b.create<arith::ConstantOp>(loc, b.getI64IntegerAttr(with));
    return b.create<arith::CmpIOp>(loc, predicate, distance, bound);
  }
  Value indexAt(LoadOp load, Value iteration) {
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), iteration);
    return computeAgain(b, load.getIndex(), mapping,
                        [&](Value value) { return loop.isDefinedOutsideOfLoop(value); });
  }
  Value isApart(LoadOp load, AtomicRmwOp op, Value first, Value last);
};

} // namespace

static int64_t bytesOf(Value element) { return element.getType().getIntOrFloatBitWidth() / 8; }

Value Comparison::isApart(LoadOp load, AtomicRmwOp op, Value first, Value last) {
  IRMapping mapping;
  Value place = computeAgain(b, op.getIndex(), mapping,
                             [](Value value) { return bool(value.getDefiningOp<ViewOp>()); });
  Value after, before;
  for (Value index : {first, last}) {
    Value to = b.create<AddressOp>(loc, b.getI64Type(), op.getBuffer(), place);
    Value from = b.create<AddressOp>(loc, b.getI64Type(), load.getBuffer(), index);
    Value distance = b.create<arith::SubIOp>(loc, to, from);
    after = both(after, compare(arith::CmpIPredicate::sge, distance, bytesOf(load)));
    before = both(before, compare(arith::CmpIPredicate::sle, distance, -bytesOf(op.getValue())));
  }
  return b.create<arith::OrIOp>(loc, before, after);
}

Block &sextant::simt::runApart(scf::ForOp loop, llvm::ArrayRef<AtomicRmwOp> late) {
  Comparison at{OpBuilder(loop), loop};
  OpBuilder &b = at.b;
  Value one =
      b.create<arith::ConstantOp>(at.loc, b.getIntegerAttr(loop.getInductionVar().getType(), 1));
  Value end = b.create<arith::SubIOp>(at.loc, loop.getUpperBound(), one);
  Value apart;
  loop->walk([&](LoadOp load) {
    if (!isGlobalLoad(load))
      return;
    Value first = at.indexAt(load, loop.getLowerBound()), last = at.indexAt(load, end);
    if (!courseOf(load.getIndex(), loop)->isExact)
      apart =
          at.both(apart, b.create<arith::CmpIOp>(at.loc, arith::CmpIPredicate::sle, first, last));
    for (AtomicRmwOp op : late)
      apart = at.both(apart, at.isApart(load, op, first, last));
  });
  auto branch = b.create<scf::IfOp>(at.loc, loop.getResultTypes(), apart, /*withElseRegion=*/true);
  loop->replaceAllUsesWith(branch);
  b.setInsertionPointToStart(branch.elseBlock());
  Operation *copy = b.clone(*loop);
  loop->moveBefore(branch.thenBlock(), branch.thenBlock()->begin());
  if (loop.getNumResults()) {
    b.create<scf::YieldOp>(at.loc, copy->getResults());
    b.setInsertionPointToEnd(branch.thenBlock());
    b.create<scf::YieldOp>(at.loc, loop.getResults());
  }
  return *branch.elseBlock();
}
