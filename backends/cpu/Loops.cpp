// Loops inside one chunk of lanes. If lanes leave a loop at different rounds, the rounds of all
// lanes may come first, without masks.
#include "backends/common/Codegen.h"
#include "backends/cpu/LaneEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace llvm;
using namespace sextant;
using namespace sextant::cpu;
namespace arith = mlir::arith;
namespace scf = mlir::scf;

static Shape varying() {
  Shape shape;
  shape.kind = Shape::Varying;
  return shape;
}

//===--- Rounds ------------------------------------------------------------===//

/// Fetches what rounds of all lanes load some rounds later. Threads walk in steps as wide as the
/// grid, which the processor does not foresee, and a round that updates memory lane by lane is too
/// long for it to begin the next ones' loads meanwhile.
void LaneEmitter::fetchAhead(mlir::Block &round) {
  constexpr unsigned rounds = 8, lineBytes = 64;
  if (round.getOps<simt::AtomicRmwOp>().empty())
    return;
  for (simt::LoadOp load : round.getOps<simt::LoadOp>()) {
    const Shape shape = values.shapeOf(load.getIndex());
    if (load.getBuffer().getType().getSpace() != simt::Space::Global ||
        shape.kind != Shape::Affine || shape.stride != 1)
      continue;
    Value *index = values.scalar(load.getIndex());
    AllocaInst *last = b.entryAlloca(index->getType(), "last");
    IRBuilder<>(last->getNextNode()).CreateStore(ConstantInt::get(index->getType(), 0), last);
    Value *step = b.CreateSub(index, b.CreateLoad(index->getType(), last));
    Value *later = b.CreateAdd(index, b.CreateMul(step, ConstantInt::get(step->getType(), rounds)));
    b.CreateStore(index, last);
    Type *element = b.scalarType(load.getType());
    Value *address = b.CreateGEP(element, values.scalar(load.getBuffer()), later);
    for (unsigned at = 0; at < lanes.width * elementBytes(element); at += lineBytes)
      b.prefetch(b.CreateConstGEP1_32(b.getInt8Ty(), address, at), /*isWritten=*/false);
  }
}

//===--- while -------------------------------------------------------------===//

/// The rounds for which `goesOn` gives a bit that is set; it looks at the condition's values.
void LaneEmitter::emitRounds(scf::WhileOp op, ArrayRef<Slot> slots,
                             function_ref<Value *(mlir::Value)> goesOn) {
  BasicBlock *header = b.newBlock("while"), *body = b.newBlock("do"),
             *after = b.newBlock("while.end");
  b.CreateBr(header);
  b.SetInsertPoint(header);
  for (auto [slot, argument] : llvm::zip(slots, op.getBeforeArguments()))
    values.define(argument, values.loadSlot(slot));
  emitOps(*op.getBeforeBody());
  scf::ConditionOp condition = op.getConditionOp();
  for (auto [i, forwarded] : llvm::enumerate(condition.getArgs())) {
    values.define(op.getAfterArguments()[i], values.lookup(forwarded));
    values.define(op.getResult(i), values.lookup(forwarded));
  }
  b.CreateCondBr(goesOn(condition.getCondition()), body, after);
  b.SetInsertPoint(body);
  emitOps(*op.getAfterBody());
  fetchAhead(*op.getAfterBody());
  SmallVector<LaneValue> next;
  for (auto [slot, value] : llvm::zip(slots, op.getYieldOp().getOperands()))
    next.push_back(values.valueFor(slot, value));
  for (auto [slot, value] : llvm::zip(slots, next))
    values.storeSlot(slot, value);
  hintUnroll(b.CreateBr(header), simt::getUnroll(op));
  b.SetInsertPoint(after);
}

SmallVector<Slot> LaneEmitter::carriedSlots(scf::WhileOp op) {
  SmallVector<Slot> slots;
  for (auto [argument, init] : llvm::zip(op.getBeforeArguments(), op.getInits())) {
    slots.push_back(values.makeSlot(argument.getType(), values.shapeOf(argument)));
    values.storeSlot(slots.back(), values.valueFor(slots.back(), init));
  }
  return slots;
}

void LaneEmitter::emitUniformWhile(scf::WhileOp op) {
  emitRounds(op, carriedSlots(op), [&](mlir::Value condition) { return values.scalar(condition); });
}

/// True if lane i begins i strides after lane 0 and goes on up to a bound, as in a loop over an
/// array by the threads of a grid: most rounds are of all lanes then. The condition has no effects,
/// since it is looked at twice where the first lane leaves.
bool LaneEmitter::hasAffineBound(scf::WhileOp op) const {
  bool isFound = false;
  for (mlir::Operation &inner : op.getBeforeBody()->without_terminator()) {
    if (!mlir::isMemoryEffectFree(&inner))
      return false;
    isFound |= isa<arith::CmpIOp>(inner) && llvm::any_of(inner.getOperands(), [&](mlir::Value of) {
                 return values.shapeOf(of).kind == Shape::Affine;
               });
  }
  return isFound;
}

/// Runs until no lane is left. The rounds of all lanes may come first, without masks. A lane that
/// has left keeps the values that it left with: carried values are frozen for it, and others are
/// kept aside.
void LaneEmitter::emitDivergentWhile(scf::WhileOp op) {
  Value *outer = b.mask;
  scf::ConditionOp condition = op.getConditionOp();
  const SmallVector<Slot> slots = carriedSlots(op);
  if (mayHaveFullRounds() && hasAffineBound(op)) {
    ++versions;
    emitRounds(op, slots, [&](mlir::Value goesOn) {
      Value *all = allLanesHold(goesOn, b.getInt64(lanes.width - 1));
      return all ? all : b.isAll(values.vector(goesOn));
    });
    --versions;
  }
  // If a result is an unchanged carried value, the value's slot holds the result.
  SmallVector<bool> isFrozen(slots.size(), false);
  SmallVector<std::optional<unsigned>> resultOfSlot(op.getNumResults());
  SmallVector<Slot> kept(op.getNumResults());
  for (auto [i, forwarded] : llvm::enumerate(condition.getArgs())) {
    if (op.getResult(i).use_empty())
      continue;
    auto argument = dyn_cast<mlir::BlockArgument>(forwarded);
    if (argument && argument.getOwner() == op.getBeforeBody() &&
        values.shapeOf(argument).isVarying()) {
      resultOfSlot[i] = argument.getArgNumber();
      isFrozen[argument.getArgNumber()] = true;
      continue;
    }
    kept[i] = values.makeSlot(forwarded.getType(), varying());
    values.storeSlot(kept[i], {nullptr, Constant::getNullValue(b.vectorType(forwarded.getType()))});
  }
  mlir::Type boolean = mlir::IntegerType::get(op.getContext(), 1);
  Slot liveSlot = values.makeSlot(boolean, varying());
  values.storeSlot(liveSlot, {nullptr, b.maskVector()});

  BasicBlock *header = b.newBlock("while"), *body = b.newBlock("do"),
             *after = b.newBlock("while.end");
  b.CreateBr(header);
  b.SetInsertPoint(header);
  Value *live = values.loadSlot(liveSlot).vector;
  b.mask = live;
  for (auto [slot, argument] : llvm::zip(slots, op.getBeforeArguments()))
    values.define(argument, values.loadSlot(slot));
  emitOps(*op.getBeforeBody());
  for (auto [i, forwarded] : llvm::enumerate(condition.getArgs())) {
    values.define(op.getAfterArguments()[i], values.lookup(forwarded));
    if (!op.getResult(i).use_empty() && !resultOfSlot[i]) {
      Value *old = values.loadSlot(kept[i]).vector;
      values.storeSlot(kept[i], {nullptr, b.CreateSelect(live, values.vector(forwarded), old)});
    }
  }
  Value *staying = b.CreateAnd(live, values.vector(condition.getCondition()));
  b.CreateCondBr(b.isAny(staying), body, after);
  b.SetInsertPoint(body);
  values.storeSlot(liveSlot, {nullptr, staying});
  b.mask = staying;
  emitOps(*op.getAfterBody());
  SmallVector<LaneValue> next;
  for (auto [i, value] : llvm::enumerate(op.getYieldOp().getOperands())) {
    next.push_back(values.valueFor(slots[i], value));
    if (isFrozen[i])
      next[i].vector =
          b.CreateSelect(staying, next[i].vector, values.vector(op.getBeforeArguments()[i]));
  }
  for (auto [slot, value] : llvm::zip(slots, next))
    values.storeSlot(slot, value);
  b.CreateBr(header);
  b.SetInsertPoint(after);
  b.mask = outer;
  for (auto [i, result] : llvm::enumerate(op.getResults())) {
    if (result.use_empty())
      continue;
    values.define(result, values.loadSlot(resultOfSlot[i] ? slots[*resultOfSlot[i]] : kept[i]));
  }
}

//===--- for ---------------------------------------------------------------===//

void LaneEmitter::emitUniformFor(scf::ForOp op) {
  SmallVector<Slot> slots;
  for (auto [argument, init] : llvm::zip(op.getRegionIterArgs(), op.getInitArgs())) {
    slots.push_back(values.makeSlot(argument.getType(), values.shapeOf(argument)));
    values.storeSlot(slots.back(), values.valueFor(slots.back(), init));
  }
  Value *lower = values.scalar(op.getLowerBound()), *upper = values.scalar(op.getUpperBound()),
        *step = values.scalar(op.getStep());
  BasicBlock *before = b.GetInsertBlock(), *body = b.newBlock("for"),
             *after = b.newBlock("for.end");
  b.CreateCondBr(b.CreateICmpSLT(lower, upper), body, after);
  b.SetInsertPoint(body);
  PHINode *counter = b.CreatePHI(lower->getType(), 2, "i");
  counter->addIncoming(lower, before);
  values.define(op.getInductionVar(), {counter, nullptr});
  for (auto [slot, argument] : llvm::zip(slots, op.getRegionIterArgs()))
    values.define(argument, values.loadSlot(slot));
  emitOps(*op.getBody());
  SmallVector<LaneValue> next;
  for (auto [slot, value] : llvm::zip(slots, op.getBody()->getTerminator()->getOperands()))
    next.push_back(values.valueFor(slot, value));
  for (auto [slot, value] : llvm::zip(slots, next))
    values.storeSlot(slot, value);
  Value *advanced = b.CreateAdd(counter, step, "", false, /*HasNSW=*/true);
  counter->addIncoming(advanced, b.GetInsertBlock());
  hintUnroll(b.CreateCondBr(b.CreateICmpSLT(advanced, upper), body, after), simt::getUnroll(op));
  b.SetInsertPoint(after);
  for (auto [slot, result] : llvm::zip(slots, op.getResults()))
    values.define(result, values.loadSlot(slot));
}

void LaneEmitter::emitBody(DivergentFor &loop) {
  scf::ForOp op = loop.op;
  for (auto [slot, argument] : llvm::zip(loop.slots, op.getRegionIterArgs()))
    values.define(argument, values.loadSlot(slot));
  emitOps(*op.getBody());
  SmallVector<LaneValue> next;
  for (auto [i, value] : llvm::enumerate(op.getBody()->getTerminator()->getOperands())) {
    const std::optional<Slot> &kept = loop.kept[i];
    next.push_back(values.valueFor(loop.slots[i], value));
    if (kept)
      values.storeSlot(
          *kept, {nullptr, b.whereActive(values.vector(value), values.loadSlot(*kept).vector)});
    else if (loop.slots[i].vector && !op.getResult(i).use_empty())
      next[i].vector = b.whereActive(next[i].vector, values.vector(op.getRegionIterArgs()[i]));
  }
  for (auto [slot, value] : llvm::zip(loop.slots, next))
    values.storeSlot(slot, value);
  LaneValue counter = values.lookup(op.getInductionVar());
  mlir::Value step = op.getStep();
  if (counter.scalar)
    counter.scalar = b.CreateAdd(counter.scalar, values.scalar(step));
  if (counter.vector)
    counter.vector = b.CreateAdd(counter.vector, values.vector(step));
  values.storeSlot(loop.counter, counter);
}

/// The rounds in which all lanes take part, without masks.
void LaneEmitter::emitFullRounds(DivergentFor &loop) {
  BasicBlock *header = b.newBlock("rounds"), *body = b.newBlock("round"),
             *after = b.newBlock("rest");
  b.CreateBr(header);
  b.SetInsertPoint(header);
  LaneValue counter = values.loadSlot(loop.counter);
  Value *last = b.CreateAdd(b.CreateSExt(counter.scalar, b.getInt64Ty()),
                            b.getInt64(loop.counter.shape.stride * (lanes.width - 1)));
  Value *upper = b.CreateSExt(values.scalar(loop.op.getUpperBound()), b.getInt64Ty());
  b.CreateCondBr(b.CreateICmpSLT(last, upper), body, after);
  b.SetInsertPoint(body);
  values.define(loop.op.getInductionVar(), counter);
  emitBody(loop);
  fetchAhead(*loop.op.getBody());
  b.CreateBr(header);
  b.SetInsertPoint(after);
}

/// The rounds until no lane is left.
void LaneEmitter::emitMaskedRounds(DivergentFor &loop) {
  Value *outer = b.mask;
  mlir::Value iv = loop.op.getInductionVar();
  mlir::Type boolean = mlir::IntegerType::get(loop.op.getContext(), 1);
  Slot liveSlot = values.makeSlot(boolean, varying());
  values.storeSlot(liveSlot, {nullptr, b.maskVector()});
  BasicBlock *header = b.newBlock("for"), *body = b.newBlock("do"), *after = b.newBlock("for.end");
  b.CreateBr(header);
  b.SetInsertPoint(header);
  values.define(iv, values.loadSlot(loop.counter));
  Value *below = b.CreateICmpSLT(values.vector(iv), values.vector(loop.op.getUpperBound()));
  Value *live = b.CreateAnd(values.loadSlot(liveSlot).vector, below);
  b.CreateCondBr(b.isAny(live), body, after);
  b.SetInsertPoint(body);
  values.storeSlot(liveSlot, {nullptr, live});
  b.mask = live;
  emitBody(loop);
  b.CreateBr(header);
  b.SetInsertPoint(after);
  b.mask = outer;
}

/// A loop whose lanes have different bounds. If lane i starts at lane 0's start plus i strides (a
/// loop over an array by the block's or grid's threads), the rounds in which all lanes take part
/// come first.
void LaneEmitter::emitDivergentFor(scf::ForOp op) {
  const Shape shape = values.shapeOf(op.getInductionVar());
  DivergentFor loop{op, values.makeSlot(op.getInductionVar().getType(), shape), {}, {}};
  values.storeSlot(loop.counter, values.valueFor(loop.counter, op.getLowerBound()));
  loop.kept.resize(op.getNumResults());
  for (auto [i, argument] : llvm::enumerate(op.getRegionIterArgs())) {
    mlir::Value init = op.getInitArgs()[i];
    Slot slot = values.makeSlot(argument.getType(), values.shapeOf(argument));
    values.storeSlot(slot, values.valueFor(slot, init));
    if (!slot.shape.isVarying() && !op.getResult(i).use_empty()) {
      loop.kept[i] = values.makeSlot(argument.getType(), varying());
      values.storeSlot(*loop.kept[i], {nullptr, values.vector(init)});
    }
    loop.slots.push_back(slot);
  }

  const bool hasFullRounds = mayHaveFullRounds() && shape.kind == Shape::Affine &&
                             shape.stride > 0 && shape.stride < (1 << 20) &&
                             values.isUniform(op.getUpperBound());
  if (hasFullRounds) {
    ++versions;
    emitFullRounds(loop);
    --versions;
  }
  emitMaskedRounds(loop);
  for (auto [i, result] : llvm::enumerate(op.getResults()))
    if (!result.use_empty())
      values.define(result, values.loadSlot(loop.kept[i] ? *loop.kept[i] : loop.slots[i]));
}
