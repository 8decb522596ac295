// Block barriers. A block's chunks run one after the other, so code is split at barriers. Each run
// of ops between two barriers becomes a loop over the chunks. Control flow around barriers, which
// is uniform in the block, stays outside of these loops. A value that is used past a barrier is
// computed again if that is cheap, or kept in a slot for each chunk.
#include "backends/cpu/BlockEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace llvm;
using namespace sextant;
using namespace sextant::cpu;
namespace arith = mlir::arith;
namespace scf = mlir::scf;

void BlockEmitter::emitBlockLevel(mlir::Block &block) {
  SmallVector<mlir::Operation *> run;
  auto flush = [&] {
    emitRun(run);
    run.clear();
  };
  for (mlir::Operation &op : block.without_terminator()) {
    if (code.failed)
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
/// on operands that are available everywhere, or that are added to `scalars` to become so.
bool BlockEmitter::isRematerialised(mlir::Value value, SmallVectorImpl<mlir::Value> *scalars,
                                    unsigned depth) {
  if (values.has(value) || blockSlots.count(value) || blockOffsets.count(value))
    return true;
  if (scalars && values.isUniform(value) && !isRematerialised(value)) {
    scalars->push_back(value);
    return true;
  }
  mlir::Operation *op = value.getDefiningOp();
  if (!op || depth > 8)
    return false;
  if (isa<simt::ThreadIdxOp, simt::LaneOp, simt::BlockIdxOp, simt::GridDimOp>(op))
    return true;
  if (!isa<arith::ArithDialect>(op->getDialect()) || op->getNumResults() != 1)
    return false;
  bool isDivision =
      isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::DivFOp>(op);
  if (isDivision && values.shapeOf(value).isVarying())
    return false;
  return llvm::all_of(op->getOperands(), [&](mlir::Value operand) {
    return isRematerialised(operand, scalars, depth + 1);
  });
}

Slot BlockEmitter::makeBlockSlot(mlir::Value value) {
  Shape shape = values.shapeOf(value);
  return values.makeSlot(value.getType(), shape, shape.kind == Shape::Block ? 1 : lanes.chunks());
}

void BlockEmitter::ensureBlockSlot(mlir::Value value) {
  if (blockSlots.count(value))
    return;
  auto carried = inPlace.find(value);
  blockSlots[value] = carried == inPlace.end() ? makeBlockSlot(value) : carried->second;
}

void BlockEmitter::fetch(mlir::Value value) {
  if (values.has(value))
    return;
  if (auto slot = blockSlots.find(value); slot != blockSlots.end()) {
    LaneValue lane = values.loadSlot(slot->second, code.chunk);
    if (values.shapeOf(value).isVarying() && !lane.vector)
      lane = {nullptr, values.vectorOf(lane, slot->second.shape, value.getType())};
    values.define(value, lane);
    return;
  }
  if (auto offset = blockOffsets.find(value); offset != blockOffsets.end()) {
    auto loop = cast<scf::ForOp>(cast<mlir::BlockArgument>(value).getOwner()->getParentOp());
    mlir::Value lower = loop.getLowerBound();
    fetch(lower);
    LaneValue lane;
    Shape shape = values.shapeOf(value);
    if (shape.hasScalar())
      lane.scalar = b.CreateAdd(values.scalar(lower), offset->second);
    if (shape.isVarying() || !shape.exact)
      lane.vector = b.CreateAdd(values.vector(lower), b.splat(offset->second));
    values.define(value, lane);
    return;
  }
  mlir::Operation *op = value.getDefiningOp();
  for (mlir::Value operand : op->getOperands())
    fetch(operand);
  inChunk.emitAgain(*op);
}

Value *BlockEmitter::blockScalar(mlir::Value value) {
  if (values.has(value) && values.isUniform(value))
    return values.scalar(value);
  LaneValues::Scope scope(values);
  inChunk.setChunk(b.getInt32(0));
  fetch(value);
  LaneValue lane = values.lookup(value);
  Value *result = lane.scalar ? lane.scalar : b.CreateExtractElement(lane.vector, uint64_t(0));
  code.chunk = code.threadBase = nullptr;
  return result;
}

void BlockEmitter::copyIntoSlots(mlir::ValueRange from, ArrayRef<Slot> slots) {
  SmallVector<Value *> scalars(slots.size());
  SmallVector<bool> isOfChunk(slots.size());
  for (auto [i, slot] : llvm::enumerate(slots)) {
    if (slot.shape.kind == Shape::Block)
      scalars[i] = blockScalar(from[i]);
    else if (auto own = blockSlots.find(from[i]); own == blockSlots.end() || own->second != slot)
      isOfChunk[i] = true;
  }
  if (llvm::is_contained(isOfChunk, true)) {
    LaneValues::Scope scope(values);
    forEachChunk([&] {
      LaneValues::Scope inner(values);
      SmallVector<LaneValue> lanesOf(slots.size());
      for (auto [i, slot] : llvm::enumerate(slots)) {
        if (!isOfChunk[i])
          continue;
        fetch(from[i]);
        lanesOf[i] = values.valueFor(slot, from[i]);
      }
      for (auto [i, slot] : llvm::enumerate(slots))
        if (isOfChunk[i])
          values.storeSlot(slot, lanesOf[i], code.chunk);
    });
  }
  for (auto [i, slot] : llvm::enumerate(slots))
    if (slot.shape.kind == Shape::Block)
      values.storeSlot(slot, {scalars[i], nullptr});
}

//===--- Between two barriers ----------------------------------------------===//

void BlockEmitter::emitRun(ArrayRef<mlir::Operation *> all) {
  // Values that are the same in the whole block are computed once, before the loop.
  SmallVector<mlir::Operation *> run;
  for (mlir::Operation *op : all) {
    if (op->hasTrait<simt::Allocation>())
      continue;
    bool isHoisted =
        op->getNumRegions() == 0 && mlir::isMemoryEffectFree(op) && op->getNumResults() == 1 &&
        values.shapeOf(op->getResult(0)).kind == Shape::Block &&
        llvm::all_of(op->getOperands(), [&](mlir::Value v) { return values.has(v) > 0; });
    if (isHoisted)
      inChunk.emitOp(*op);
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
      if (!isUsedOutside || isRematerialised(result))
        continue;
      // Slots for scalars cost less than one for a vector that is computed from them.
      SmallVector<mlir::Value> kept;
      if (values.isUniform(result) || !isRematerialised(result, &kept))
        kept = {result};
      for (mlir::Value value : kept)
        ensureBlockSlot(value);
      crossing.append(kept);
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
        if (!isInside && !values.has(operand))
          needed.insert(operand);
      }
    });
  }
  LaneValues::Scope scope(values);
  const auto fetchNeeded = [&] {
    for (mlir::Value value : needed)
      fetch(value);
  };
  const auto storeCrossing = [&] {
    for (mlir::Value value : crossing) {
      const Slot &slot = blockSlots[value];
      values.storeSlot(slot, values.valueFor(slot, value), code.chunk);
    }
  };
  if (const unsigned inStep = chunksInStep(run); inStep > 1)
    return forChunksInStep(inStep, run, fetchNeeded, storeCrossing);
  forEachChunk([&] {
    LaneValues::Scope inner(values);
    fetchNeeded();
    for (mlir::Operation *op : run)
      if (!code.failed)
        inChunk.emitOp(*op);
    if (!code.failed)
      storeCrossing();
  });
}

/// True if an index is the same in each chunk of the block, lane by lane: the column of a tile
/// whose rows are as long as a chunk.
static bool isSameInChunks(mlir::Value index, const LaneValues &values, const Lanes &lanes,
                           unsigned depth = 0) {
  const Shape shape = values.shapeOf(index);
  if (shape.kind == Shape::Block ||
      (shape.kind == Shape::Affine && shape.stride == 1 && shape.bits <= Log2_32(lanes.width)))
    return true;
  mlir::Operation *op = index.getDefiningOp();
  return op && depth < 8 && isa<arith::ArithDialect>(op->getDialect()) &&
         llvm::all_of(
             op->getOperands(),
             [&](mlir::Value operand) {
               return isSameInChunks(operand, values, lanes, depth + 1);
             });
}

/// How many chunks run in step, op by op, so that what all of them load is loaded once: as many as
/// leave half of the registers to other values. One, unless they load much in common and do nothing
/// else than loads, stores and arithmetic.
unsigned BlockEmitter::chunksInStep(ArrayRef<mlir::Operation *> run) {
  constexpr unsigned leastInCommon = 4, mostOps = 1500;
  if (lanes.remainder() || machine.vectorBytes < 32 || code.lines.hasVariables())
    return 1;
  unsigned inCommon = 0, bytes = 4;
  for (mlir::Operation *op : run) {
    auto load = dyn_cast<simt::LoadOp>(op);
    if (!isa<simt::LoadOp, simt::StoreOp, simt::LoadVectorOp, simt::StoreVectorOp>(op) &&
        !isa<arith::ArithDialect>(op->getDialect()))
      return 1;
    inCommon += load && values.shapeOf(load.getIndex()).kind == Shape::Affine &&
                isSameInChunks(load.getIndex(), values, lanes);
    for (mlir::Type type : op->getResultTypes())
      if (type.isF64())
        bytes = 8;
  }
  const unsigned ofValue = std::max(1u, lanes.width * bytes / machine.vectorBytes);
  unsigned count = inCommon < leastInCommon ? 1 : std::min(machine.keptVectors() / ofValue, 8u);
  while (count > 1 && (lanes.chunks() % count || run.size() * count > mostOps))
    count /= 2;
  return std::max(count, 1u);
}

/// Runs `before`, the ops, and `after`, each in so many chunks before the next.
void BlockEmitter::forChunksInStep(unsigned count, ArrayRef<mlir::Operation *> run, Body before,
                                   Body after) {
  struct OfChunk {
    Value *chunk = nullptr, *threadBase = nullptr;
    LaneValues::Known known;
  };
  b.countedLoop(
      b.getInt32(0), b.getInt32(lanes.chunks() / count),
      [&](Value *group) {
        SmallVector<OfChunk> chunks(count);
        Value *first = b.CreateMul(group, b.getInt32(count));
        for (auto [i, each] : llvm::enumerate(chunks)) {
          inChunk.setChunk(b.CreateAdd(first, b.getInt32(unsigned(i))));
          each = {code.chunk, code.threadBase, values.all()};
        }
        const auto inEach = [&](Body body) {
          for (OfChunk &each : chunks) {
            code.chunk = each.chunk;
            code.threadBase = each.threadBase;
            values.exchange(each.known);
            if (!code.failed)
              body();
            values.exchange(each.known);
          }
        };
        inEach(before);
        for (mlir::Operation *op : run)
          inEach([&] { inChunk.emitOp(*op); });
        inEach(after);
        code.chunk = code.threadBase = nullptr;
      },
      "chunks");
}

void BlockEmitter::emitBarrierReduce(mlir::Operation &operation) {
  auto op = cast<simt::BarrierReduceOp>(operation);
  Slot total = values.makeSlot(op.getResult().getType(), values.shapeOf(op.getResult()));
  simt::BarrierReduceKind kind = op.getKind();
  // Counts the threads whose predicate holds; for "all", those whose predicate does not.
  values.storeSlot(total, {b.getInt32(0), nullptr});
  {
    LaneValues::Scope scope(values);
    forEachChunk([&] {
      LaneValues::Scope inner(values);
      fetch(op.getPredicate());
      Value *votes = values.vector(op.getPredicate());
      if (kind == simt::BarrierReduceKind::All)
        votes = b.CreateNot(votes);
      votes = b.andMask(votes);
      Value *count = b.CreateZExt(b.maskBits(votes), b.getInt64Ty());
      count = b.CreateTrunc(b.CreateUnaryIntrinsic(Intrinsic::ctpop, count), b.getInt32Ty());
      values.storeSlot(total, {b.CreateAdd(values.loadSlot(total).scalar, count), nullptr});
    });
  }
  Value *sum = values.loadSlot(total).scalar;
  if (kind != simt::BarrierReduceKind::Count) {
    bool isAny = kind == simt::BarrierReduceKind::Any;
    Value *none = b.CreateIsNull(sum);
    sum = b.CreateZExt(isAny ? b.CreateNot(none) : none, b.getInt32Ty());
  }
  values.define(op.getResult(), {sum, nullptr});
}

//===--- Control flow around barriers --------------------------------------===//

void BlockEmitter::emitBlockIf(scf::IfOp op) {
  SmallVector<Slot> slots;
  for (mlir::Value result : op.getResults())
    slots.push_back(makeBlockSlot(result));
  bool hasElse = !op.getElseRegion().empty();
  BasicBlock *then = b.newBlock("block.then"), *after = b.newBlock("block.endif");
  BasicBlock *otherwise = hasElse ? b.newBlock("block.else") : after;
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
      values.define(result, values.loadSlot(slot));
    else
      blockSlots[result] = slot;
  }
}

/// True if nothing reads a carried value once its next one has been computed, up to the end of the
/// round: both may have one slot.
static bool isReplaced(mlir::BlockArgument carried, mlir::Value next) {
  mlir::Block *body = carried.getOwner();
  mlir::Operation *at = next.getDefiningOp();
  if (!at || at->getBlock() != body || containsBarrier(at))
    return false;
  // Chunks write slots at the next barrier.
  while (!containsBarrier(at) && at->getNextNode())
    at = at->getNextNode();
  SmallVector<mlir::Value> values{carried};
  DenseSet<mlir::Value> seen;
  while (!values.empty()) {
    mlir::Value value = values.pop_back_val();
    for (mlir::Operation *user : value.getUsers()) {
      if (!body->findAncestorOpInBlock(*user)->isBeforeInBlock(at))
        return false;
      // A value that is computed from it may be computed again wherever it is used.
      if (isa<arith::ArithDialect>(user->getDialect()))
        for (mlir::Value result : user->getResults())
          if (result != next && seen.insert(result).second)
            values.push_back(result);
    }
  }
  return true;
}

void BlockEmitter::emitBlockFor(scf::ForOp op) {
  SmallVector<Slot> slots;
  for (auto [argument, next] :
       llvm::zip(op.getRegionIterArgs(), op.getBody()->getTerminator()->getOperands())) {
    slots.push_back(makeBlockSlot(argument));
    const Shape::Kind kind = slots.back().shape.kind;
    if (kind != Shape::Block && kind == values.shapeOf(next).kind && isReplaced(argument, next))
      inPlace.try_emplace(next, slots.back());
  }
  copyIntoSlots(op.getInitArgs(), slots);
  Value *lower = blockScalar(op.getLowerBound()), *upper = blockScalar(op.getUpperBound()),
        *step = blockScalar(op.getStep());
  // Each round reads lower bounds that differ between threads again.
  if (values.shapeOf(op.getInductionVar()).kind != Shape::Block &&
      !isRematerialised(op.getLowerBound())) {
    Slot slot = makeBlockSlot(op.getLowerBound());
    copyIntoSlots(op.getLowerBound(), slot);
    blockSlots[op.getLowerBound()] = slot;
  }
  BasicBlock *before = b.GetInsertBlock(), *body = b.newBlock("block.for"),
             *after = b.newBlock("block.for.end");
  b.CreateCondBr(b.CreateICmpSLT(lower, upper), body, after);
  b.SetInsertPoint(body);
  PHINode *counter = b.CreatePHI(lower->getType(), 2, "i");
  counter->addIncoming(lower, before);
  mlir::Value iv = op.getInductionVar();
  if (values.shapeOf(iv).kind == Shape::Block)
    values.define(iv, {counter, nullptr});
  else
    blockOffsets[iv] = b.CreateSub(counter, lower);
  for (auto [slot, argument] : llvm::zip(slots, op.getRegionIterArgs())) {
    if (slot.shape.kind == Shape::Block)
      values.define(argument, values.loadSlot(slot));
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
    if (slot.shape.kind == Shape::Block && values.shapeOf(result).isUniform())
      values.define(result, values.loadSlot(slot));
    else
      blockSlots[result] = slot;
  }
}

void BlockEmitter::emitBlockWhile(scf::WhileOp op) {
  SmallVector<Slot> carried, forwarded;
  for (mlir::Value argument : op.getBeforeArguments())
    carried.push_back(makeBlockSlot(argument));
  for (mlir::Value argument : op.getAfterArguments())
    forwarded.push_back(makeBlockSlot(argument));
  copyIntoSlots(op.getInits(), carried);
  auto bind = [&](ArrayRef<Slot> slots, mlir::ValueRange names) {
    for (auto [slot, value] : llvm::zip(slots, names)) {
      if (slot.shape.kind == Shape::Block && values.shapeOf(value).isUniform())
        values.define(value, values.loadSlot(slot));
      else
        blockSlots[value] = slot;
    }
  };
  BasicBlock *header = b.newBlock("block.while"), *body = b.newBlock("block.do"),
             *after = b.newBlock("block.while.end");
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
