// Block barriers. A block's chunks run one after the other, so code is split at barriers. Each run
// of ops between two barriers becomes a loop over the chunks. Control flow around barriers, which
// is uniform in the block, stays outside of these loops. A value that is used past a barrier is
// computed again if that is cheap, or kept in a slot for each chunk.
#include "backends/cpu/Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace llvm;
using namespace sextant;
using namespace sextant::cpu;
namespace arith = mlir::arith;
namespace scf = mlir::scf;

void Emitter::emitBlockLevel(mlir::Block &block) {
  SmallVector<mlir::Operation *> run;
  auto flush = [&] {
    emitRun(run);
    run.clear();
  };
  for (mlir::Operation &op : block.without_terminator()) {
    if (failed)
      return;
    if (!containsBarrier(&op)) {
      run.push_back(&op);
      continue;
    }
    flush();
    if (isa<simt::BarrierReduceOp>(op))
      emitBarrierReduce(op);
    else if (auto ifOp = dyn_cast<scf::IfOp>(op))
      emitBlockIf(ifOp);
    else if (auto forOp = dyn_cast<scf::ForOp>(op))
      emitBlockFor(forOp);
    else if (auto whileOp = dyn_cast<scf::WhileOp>(op))
      emitBlockWhile(whileOp);
    // A barrier itself is the end of the loop before it.
  }
  flush();
}

//===--- Values across barriers --------------------------------------------===//

/// True if each loop over chunks that uses `value` computes it anew: it is pure, cheap arithmetic
/// on operands that are available everywhere.
bool Emitter::isRematerialised(mlir::Value value, unsigned depth) {
  if (values.count(value) || blockSlots.count(value) || blockOffsets.count(value))
    return true;
  mlir::Operation *op = value.getDefiningOp();
  if (!op || depth > 8)
    return false;
  if (isa<simt::ThreadIdxOp, simt::LaneOp, simt::BlockIdxOp, simt::GridDimOp>(op))
    return true;
  if (!isa<arith::ArithDialect>(op->getDialect()) || op->getNumResults() != 1)
    return false;
  bool isDivision =
      isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::DivFOp>(op);
  if (isDivision && shapeOf(value).isVarying())
    return false;
  return llvm::all_of(op->getOperands(),
                      [&](mlir::Value operand) { return isRematerialised(operand, depth + 1); });
}

Slot Emitter::makeBlockSlot(mlir::Value value) {
  Shape shape = shapeOf(value);
  return makeSlot(value.getType(), shape, shape.kind == Shape::Block ? 1 : lanes.chunks());
}

void Emitter::ensureBlockSlot(mlir::Value value) {
  if (!blockSlots.count(value))
    blockSlots[value] = makeBlockSlot(value);
}

void Emitter::fetch(mlir::Value value) {
  if (values.count(value))
    return;
  if (auto slot = blockSlots.find(value); slot != blockSlots.end()) {
    LaneValue lane = loadSlot(slot->second, chunk);
    if (shapeOf(value).isVarying() && !lane.vector)
      lane = {nullptr, vectorOf(lane, slot->second.shape, value.getType())};
    define(value, lane);
    return;
  }
  if (auto offset = blockOffsets.find(value); offset != blockOffsets.end()) {
    auto loop = cast<scf::ForOp>(cast<mlir::BlockArgument>(value).getOwner()->getParentOp());
    mlir::Value lower = loop.getLowerBound();
    fetch(lower);
    LaneValue lane;
    Shape shape = shapeOf(value);
    if (shape.hasScalar())
      lane.scalar = b.CreateAdd(scalar(lower), offset->second);
    if (shape.isVarying() || !shape.exact)
      lane.vector = b.CreateAdd(vector(lower), splat(offset->second));
    define(value, lane);
    return;
  }
  mlir::Operation *op = value.getDefiningOp();
  for (mlir::Value operand : op->getOperands())
    fetch(operand);
  bool wasAgain = std::exchange(isAgain, true);
  emitOp(*op);
  isAgain = wasAgain;
}

namespace {

/// Forgets what a loop over chunks defined when the loop ends.
struct ChunkValues {
  DenseMap<mlir::Value, LaneValue> &values;
  DenseMap<mlir::Value, LaneValue> outside;
  explicit ChunkValues(DenseMap<mlir::Value, LaneValue> &values)
      : values(values), outside(values) {}
  ~ChunkValues() { values = std::move(outside); }
};

} // namespace

Value *Emitter::blockScalar(mlir::Value value) {
  if (values.count(value) && shapes.isUniform(value))
    return scalar(value);
  ChunkValues scope(values);
  setChunk(b.getInt32(0));
  fetch(value);
  LaneValue lane = values.lookup(value);
  Value *result = lane.scalar ? lane.scalar : b.CreateExtractElement(lane.vector, uint64_t(0));
  chunk = threadBase = nullptr;
  return result;
}

void Emitter::copyIntoSlots(mlir::ValueRange from, ArrayRef<Slot> slots) {
  SmallVector<Value *> scalars(slots.size());
  bool hasChunkSlots = false;
  for (auto [i, slot] : llvm::enumerate(slots)) {
    if (slot.shape.kind == Shape::Block)
      scalars[i] = blockScalar(from[i]);
    else
      hasChunkSlots = true;
  }
  if (hasChunkSlots) {
    ChunkValues scope(values);
    forEachChunk([&] {
      ChunkValues inner(values);
      SmallVector<LaneValue> lanesOf(slots.size());
      for (auto [i, slot] : llvm::enumerate(slots)) {
        if (slot.shape.kind == Shape::Block)
          continue;
        fetch(from[i]);
        lanesOf[i] = valueFor(slot, from[i]);
      }
      for (auto [i, slot] : llvm::enumerate(slots))
        if (slot.shape.kind != Shape::Block)
          storeSlot(slot, lanesOf[i], chunk);
    });
  }
  for (auto [i, slot] : llvm::enumerate(slots))
    if (slot.shape.kind == Shape::Block)
      storeSlot(slot, {scalars[i], nullptr});
}

//===--- Between two barriers ----------------------------------------------===//

void Emitter::emitRun(ArrayRef<mlir::Operation *> all) {
  // Values that are the same in the whole block are computed once, before the loop.
  SmallVector<mlir::Operation *> run;
  for (mlir::Operation *op : all) {
    if (op->hasTrait<simt::Allocation>())
      continue;
    bool isHoisted =
        op->getNumRegions() == 0 && mlir::isMemoryEffectFree(op) && op->getNumResults() == 1 &&
        shapeOf(op->getResult(0)).kind == Shape::Block &&
        llvm::all_of(op->getOperands(), [&](mlir::Value v) { return values.count(v) > 0; });
    if (isHoisted)
      emitOp(*op);
    else
      run.push_back(op);
  }
  if (run.empty())
    return;

  DenseSet<mlir::Operation *> inRun(run.begin(), run.end());
  mlir::Block *block = run.front()->getBlock();
  SmallVector<mlir::Value> crossing;
  for (mlir::Operation *op : run) {
    for (mlir::Value result : op->getResults()) {
      bool isUsedOutside = llvm::any_of(result.getUsers(), [&](mlir::Operation *user) {
        return !inRun.count(block->findAncestorOpInBlock(*user));
      });
      if (isUsedOutside && !isRematerialised(result)) {
        ensureBlockSlot(result);
        crossing.push_back(result);
      }
    }
  }
  // Ops that only feed values computed anew elsewhere are dead here. LLVM removes them.
  llvm::SetVector<mlir::Value> needed;
  for (mlir::Operation *op : run) {
    op->walk([&](mlir::Operation *inner) {
      for (mlir::Value operand : inner->getOperands()) {
        mlir::Operation *at = operand.getDefiningOp();
        if (!at)
          at = operand.getParentBlock()->getParentOp();
        mlir::Operation *ancestor = block->findAncestorOpInBlock(*at);
        bool isInside = ancestor && inRun.count(ancestor);
        if (!isInside && !values.count(operand))
          needed.insert(operand);
      }
    });
  }
  ChunkValues scope(values);
  forEachChunk([&] {
    ChunkValues inner(values);
    for (mlir::Value value : needed)
      fetch(value);
    for (mlir::Operation *op : run)
      if (!failed)
        emitOp(*op);
    if (failed)
      return;
    for (mlir::Value value : crossing) {
      const Slot &slot = blockSlots[value];
      storeSlot(slot, valueFor(slot, value), chunk);
    }
  });
}

void Emitter::emitBarrierReduce(mlir::Operation &operation) {
  auto op = cast<simt::BarrierReduceOp>(operation);
  Slot total = makeSlot(op.getResult().getType(), shapeOf(op.getResult()));
  simt::BarrierReduceKind kind = op.getKind();
  // Counts the threads whose predicate holds; for "all", those whose predicate does not.
  storeSlot(total, {b.getInt32(0), nullptr});
  {
    ChunkValues scope(values);
    forEachChunk([&] {
      ChunkValues inner(values);
      fetch(op.getPredicate());
      Value *votes = vector(op.getPredicate());
      if (kind == simt::BarrierReduceKind::All)
        votes = b.CreateNot(votes);
      votes = andMask(votes);
      Value *count = b.CreateZExt(maskBits(votes), b.getInt64Ty());
      count = b.CreateTrunc(b.CreateUnaryIntrinsic(Intrinsic::ctpop, count), b.getInt32Ty());
      storeSlot(total, {b.CreateAdd(loadSlot(total).scalar, count), nullptr});
    });
  }
  Value *sum = loadSlot(total).scalar;
  if (kind != simt::BarrierReduceKind::Count) {
    bool isAny = kind == simt::BarrierReduceKind::Any;
    Value *none = b.CreateIsNull(sum);
    sum = b.CreateZExt(isAny ? b.CreateNot(none) : none, b.getInt32Ty());
  }
  define(op.getResult(), {sum, nullptr});
}

//===--- Control flow around barriers --------------------------------------===//

void Emitter::emitBlockIf(scf::IfOp op) {
  SmallVector<Slot> slots;
  for (mlir::Value result : op.getResults())
    slots.push_back(makeBlockSlot(result));
  bool hasElse = !op.getElseRegion().empty();
  BasicBlock *then = newBlock("block.then"), *after = newBlock("block.endif");
  BasicBlock *otherwise = hasElse ? newBlock("block.else") : after;
  b.CreateCondBr(blockScalar(op.getCondition()), then, otherwise);
  auto emitBranch = [&](BasicBlock *at, mlir::Region &region) {
    b.SetInsertPoint(at);
    emitBlockLevel(region.front());
    copyIntoSlots(region.front().getTerminator()->getOperands(), slots);
    b.CreateBr(after);
  };
  emitBranch(then, op.getThenRegion());
  if (hasElse)
    emitBranch(otherwise, op.getElseRegion());
  b.SetInsertPoint(after);
  for (auto [slot, result] : llvm::zip(slots, op.getResults())) {
    if (slot.shape.kind == Shape::Block)
      define(result, loadSlot(slot));
    else
      blockSlots[result] = slot;
  }
}

void Emitter::emitBlockFor(scf::ForOp op) {
  SmallVector<Slot> slots;
  for (mlir::Value argument : op.getRegionIterArgs())
    slots.push_back(makeBlockSlot(argument));
  copyIntoSlots(op.getInitArgs(), slots);
  Value *lower = blockScalar(op.getLowerBound()), *upper = blockScalar(op.getUpperBound()),
        *step = blockScalar(op.getStep());
  // Each round reads lower bounds that differ between threads again.
  if (shapeOf(op.getInductionVar()).kind != Shape::Block && !isRematerialised(op.getLowerBound())) {
    Slot slot = makeBlockSlot(op.getLowerBound());
    copyIntoSlots(op.getLowerBound(), slot);
    blockSlots[op.getLowerBound()] = slot;
  }
  BasicBlock *before = b.GetInsertBlock(), *body = newBlock("block.for"),
             *after = newBlock("block.for.end");
  b.CreateCondBr(b.CreateICmpSLT(lower, upper), body, after);
  b.SetInsertPoint(body);
  PHINode *counter = b.CreatePHI(lower->getType(), 2, "i");
  counter->addIncoming(lower, before);
  mlir::Value iv = op.getInductionVar();
  if (shapeOf(iv).kind == Shape::Block)
    define(iv, {counter, nullptr});
  else
    blockOffsets[iv] = b.CreateSub(counter, lower);
  for (auto [slot, argument] : llvm::zip(slots, op.getRegionIterArgs())) {
    if (slot.shape.kind == Shape::Block)
      define(argument, loadSlot(slot));
    else
      blockSlots[argument] = slot;
  }
  emitBlockLevel(*op.getBody());
  copyIntoSlots(op.getBody()->getTerminator()->getOperands(), slots);
  Value *advanced = b.CreateAdd(counter, step, "", false, /*HasNSW=*/true);
  counter->addIncoming(advanced, b.GetInsertBlock());
  b.CreateCondBr(b.CreateICmpSLT(advanced, upper), body, after);
  b.SetInsertPoint(after);
  for (auto [slot, result] : llvm::zip(slots, op.getResults())) {
    if (slot.shape.kind == Shape::Block && shapeOf(result).isUniform())
      define(result, loadSlot(slot));
    else
      blockSlots[result] = slot;
  }
}

void Emitter::emitBlockWhile(scf::WhileOp op) {
  SmallVector<Slot> carried, forwarded;
  for (mlir::Value argument : op.getBeforeArguments())
    carried.push_back(makeBlockSlot(argument));
  for (mlir::Value argument : op.getAfterArguments())
    forwarded.push_back(makeBlockSlot(argument));
  copyIntoSlots(op.getInits(), carried);
  auto bind = [&](ArrayRef<Slot> slots, mlir::ValueRange names) {
    for (auto [slot, value] : llvm::zip(slots, names)) {
      if (slot.shape.kind == Shape::Block && shapeOf(value).isUniform())
        define(value, loadSlot(slot));
      else
        blockSlots[value] = slot;
    }
  };
  BasicBlock *header = newBlock("block.while"), *body = newBlock("block.do"),
             *after = newBlock("block.while.end");
  b.CreateBr(header);
  b.SetInsertPoint(header);
  bind(carried, op.getBeforeArguments());
  emitBlockLevel(*op.getBeforeBody());
  scf::ConditionOp condition = op.getConditionOp();
  Value *stays = blockScalar(condition.getCondition());
  copyIntoSlots(condition.getArgs(), forwarded);
  b.CreateCondBr(stays, body, after);
  b.SetInsertPoint(body);
  bind(forwarded, op.getAfterArguments());
  emitBlockLevel(*op.getAfterBody());
  copyIntoSlots(op.getYieldOp().getOperands(), carried);
  b.CreateBr(header);
  b.SetInsertPoint(after);
  bind(forwarded, op.getResults());
}
