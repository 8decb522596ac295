// Structured control flow inside one chunk of lanes: branches if lanes agree, masks if they do not.
#include "backends/common/Codegen.h"
#include "backends/cpu/Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/IntrinsicsAArch64.h"
#include "llvm/IR/IntrinsicsX86.h"

using namespace llvm;
using namespace sextant;
using namespace sextant::cpu;
namespace arith = mlir::arith;
namespace math = mlir::math;
namespace scf = mlir::scf;

void Emitter::emitOps(mlir::Block &block) {
  DebugLoc outside = b.getCurrentDebugLocation();
  showMask();
  for (mlir::Operation &op : block.without_terminator()) {
    if (failed)
      return;
    emitOp(op);
    if (op.getNumRegions())
      showMask();
  }
  b.SetCurrentDebugLocation(outside);
}

void Emitter::emitOp(mlir::Operation &op) {
  if (!isAgain) // else a debugger would stop at the line once more
    lines.set(b, op.getLoc());
  if (auto known = assumed.empty() || op.getNumResults() != 1 ? assumed.end()
                                                              : assumed.find(op.getResult(0));
      known != assumed.end()) {
    if (known->second)
      define(op.getResult(0), values.lookup(known->second));
    else
      define(op.getResult(0), {assumedQuotient, nullptr});
    return;
  }
  llvm::TypeSwitch<mlir::Operation *>(&op)
      .Case([&](scf::IfOp o) { emitIf(o); })
      .Case([&](scf::ForOp o) { emitFor(o); })
      .Case([&](scf::WhileOp o) { emitWhile(o); })
      .Case([&](simt::ThreadIdxOp o) {
        define(o, {lanes.blockDim == 1 ? b.getInt32(0) : threadBase, nullptr});
      })
      .Case([&](simt::LaneOp o) {
        if (lanes.blockDim == 1 && lanes.width == 1)
          return define(o, {b.getInt32(0), nullptr});
        Value *base = b.CreateAnd(threadBase, b.getInt32(lanes.wave - 1));
        if (shapeOf(o).isVarying())
          define(o, {nullptr, b.CreateAnd(b.CreateAdd(splat(threadBase), iota(b.getInt32Ty())),
                                          splat(b.getInt32(lanes.wave - 1)))});
        else
          define(o, {base, nullptr});
      })
      .Case([&](simt::BlockIdxOp o) { define(o, {blockIndex, nullptr}); })
      .Case([&](simt::GridDimOp o) { define(o, {gridArg, nullptr}); })
      .Case<simt::SharedOp, simt::PrivateOp>([](auto) {}) // made by emitAllocations
      .Case([&](simt::ViewOp o) { define(o, {scalar(o.getSource()), nullptr}); })
      .Case([&](simt::LoadOp o) { emitLoad(o); })
      .Case([&](simt::StoreOp o) { emitStore(o); })
      .Case([&](simt::LoadVectorOp o) { emitLoadVector(o); })
      .Case([&](simt::StoreVectorOp o) { emitStoreVector(o); })
      .Case([&](simt::AtomicRmwOp o) { emitAtomicRmw(o); })
      .Case([&](simt::AtomicCasOp o) { emitAtomicCas(o); })
      .Case([&](simt::FenceOp o) {
        // A block is one thread of the machine, so only the compiler could reorder.
        bool isDevice = o.getScope() == simt::Scope::Device;
        b.CreateFence(AtomicOrdering::AcquireRelease,
                      isDevice ? SyncScope::System : SyncScope::SingleThread);
      })
      .Case([](simt::SubgroupBarrierOp) {})                      // lanes run in step
      .Case<simt::EndCopiesOp, simt::AwaitCopiesOp>([](auto) {}) // stores are done in order
      .Case([&](simt::PauseOp) {
        if (machine.isX86)
          b.CreateIntrinsic(Intrinsic::x86_sse2_pause, {}, {});
        else // `yield`
          b.CreateIntrinsic(Intrinsic::aarch64_hint, {}, {b.getInt32(1)});
      })
      .Case([&](simt::ShuffleOp o) { emitShuffle(o); })
      .Case([&](simt::BallotOp o) { emitBallot(o); })
      .Case([&](simt::MatchOp o) { emitMatch(o); })
      .Case([&](simt::VoteOp o) { emitVote(o); })
      .Case([&](simt::ReduceOp o) { emitReduce(o); })
      .Case([&](simt::ScanOp o) { emitScan(o); })
      .Case([&](simt::DebugValueOp o) { emitDebugValue(o); })
      .Default([&](mlir::Operation *o) {
        if (!emitElementwiseOp(*o))
          fail(*o, "internal error: no code for '" + o->getName().getStringRef() +
                       "' on the CPU; please report it with the kernel");
      });
}

//===--- Slots -------------------------------------------------------------===//

/// The form of a vector of booleans in memory: the form that the machine's compares and blends work
/// on, or, for real memory, a byte each.
static Type *slotElement(Type *element, const Machine &machine, bool inMemory, IRBuilder<> &b) {
  if (!element->isIntegerTy(1))
    return element;
  if (inMemory)
    return b.getInt8Ty();
  return machine.hasMaskRegisters ? element : b.getInt32Ty();
}

/// The alignment that entryAlloca leaves for each element of an array of vectors.
static Align slotAlign(Type *type) {
  uint64_t bytes = PowerOf2Ceil(std::max<uint64_t>(8, type->getPrimitiveSizeInBits()) / 8);
  return Align(std::min<uint64_t>(64, bytes));
}

Slot Emitter::makeSlot(mlir::Type type, Shape shape, unsigned count) {
  Slot slot{shape, type, nullptr, nullptr, count};
  Type *element = scalarType(type);
  if (shape.kind == Shape::Unknown) // never reached: any value does
    slot.shape.kind = Shape::Block;
  if (!shape.isVarying() || lanes.width == 1)
    slot.scalar = entryAlloca(element, "carried", count);
  if (lanes.width > 1 && (shape.isVarying() || (shape.kind == Shape::Affine && !shape.exact)))
    slot.vector = entryAlloca(widen(slotElement(element, machine, count > 1, b)), "carried", count);
  return slot;
}

void Emitter::storeSlot(const Slot &slot, const LaneValue &value, Value *index) {
  auto at = [&](Value *base, Type *type) {
    return slot.count > 1 && index ? b.CreateGEP(type, base, index) : base;
  };
  if (slot.scalar)
    b.CreateStore(value.scalar, at(slot.scalar, scalarType(slot.type)));
  if (slot.vector) {
    Type *element = scalarType(slot.type);
    Type *stored = widen(slotElement(element, machine, slot.count > 1, b));
    Value *vector = value.vector;
    if (stored != vector->getType())
      vector = b.CreateSExt(vector, stored);
    b.CreateAlignedStore(vector, at(slot.vector, stored), slotAlign(stored));
  }
}

LaneValue Emitter::loadSlot(const Slot &slot, Value *index) {
  auto at = [&](Value *base, Type *type) {
    return slot.count > 1 && index ? b.CreateGEP(type, base, index) : base;
  };
  LaneValue value;
  Type *element = scalarType(slot.type);
  if (slot.scalar)
    value.scalar = b.CreateLoad(element, at(slot.scalar, element));
  if (slot.vector) {
    Type *stored = widen(slotElement(element, machine, slot.count > 1, b));
    value.vector = b.CreateAlignedLoad(stored, at(slot.vector, stored), slotAlign(stored));
    if (stored != widen(element)) // the sign says it, which blends read without a compare
      value.vector = b.CreateICmpSLT(value.vector, Constant::getNullValue(stored));
  }
  return value;
}

/// Returns `value` in the form that `slot` keeps.
LaneValue Emitter::valueFor(const Slot &slot, mlir::Value value) {
  LaneValue result = values.lookup(value);
  if (slot.vector && !result.vector)
    result.vector = vector(value);
  return result;
}

//===--- if ----------------------------------------------------------------===//

/// True if running the region for nothing costs less than a branch around it, and cannot trap or
/// have effects.
static bool isCheap(mlir::Region &region) {
  if (region.empty())
    return true;
  unsigned count = 0;
  for (mlir::Operation &op : region.front().without_terminator()) {
    bool isSimple = isa<arith::ArithDialect>(op.getDialect()) && op.getNumRegions() == 0 &&
                    !isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op);
    isSimple |= isa<math::AbsFOp, math::AbsIOp, math::FmaOp, math::FloorOp, math::CeilOp>(op);
    if (!isSimple || ++count > 10)
      return false;
  }
  return true;
}

void Emitter::emitIf(scf::IfOp op) {
  if (!shapes.isUniform(op.getCondition())) {
    if (!emitVersioned(op))
      emitDivergentIf(op);
    return;
  }
  SmallVector<Slot> slots;
  for (mlir::Value result : op.getResults())
    slots.push_back(makeSlot(result.getType(), shapeOf(result)));
  bool hasElse = !op.getElseRegion().empty();
  BasicBlock *then = newBlock("then"), *after = newBlock("endif");
  BasicBlock *otherwise = hasElse ? newBlock("else") : after;
  b.CreateCondBr(scalar(op.getCondition()), then, otherwise);
  auto emitBranch = [&](BasicBlock *block, mlir::Region &region) {
    b.SetInsertPoint(block);
    emitOps(region.front());
    for (auto [slot, value] : llvm::zip(slots, region.front().getTerminator()->getOperands()))
      storeSlot(slot, valueFor(slot, value));
    b.CreateBr(after);
  };
  emitBranch(then, op.getThenRegion());
  if (hasElse)
    emitBranch(otherwise, op.getElseRegion());
  b.SetInsertPoint(after);
  for (auto [slot, result] : llvm::zip(slots, op.getResults()))
    define(result, loadSlot(slot));
}

void Emitter::emitDivergentIf(scf::IfOp op) {
  Value *condition = vector(op.getCondition());
  Value *outer = mask;
  SmallVector<Value *> results[2];
  auto emitSide = [&](mlir::Region &region, Value *active, SmallVector<Value *> &yielded) {
    if (region.empty())
      return;
    mlir::Block &body = region.front();
    auto collect = [&] {
      for (mlir::Value value : body.getTerminator()->getOperands())
        yielded.push_back(vector(value));
    };
    mask = active;
    if (isCheap(region)) {
      emitOps(body);
      collect();
      mask = outer;
      return;
    }
    BasicBlock *before = b.GetInsertBlock();
    BasicBlock *side = newBlock("masked"), *after = newBlock("masked.end");
    b.CreateCondBr(isAny(active), side, after);
    b.SetInsertPoint(side);
    emitOps(body);
    collect();
    BasicBlock *end = b.GetInsertBlock();
    b.CreateBr(after);
    b.SetInsertPoint(after);
    for (Value *&value : yielded) {
      PHINode *merged = b.CreatePHI(value->getType(), 2);
      merged->addIncoming(value, end);
      merged->addIncoming(Constant::getNullValue(value->getType()), before);
      value = merged;
    }
    mask = outer;
  };
  emitSide(op.getThenRegion(), andMask(condition), results[0]);
  if (!op.getElseRegion().empty())
    emitSide(op.getElseRegion(), andMask(b.CreateNot(condition)), results[1]);
  for (auto [i, result] : llvm::enumerate(op.getResults()))
    define(result, {nullptr, b.CreateSelect(condition, results[0][i], results[1][i])});
}

/// Compares the last lane that passes: the value is affine, rises, and must be below a bound. The
/// comparison is in 64 bits, so that a 32-bit sum that wraps reads as "not all".
Value *Emitter::allLanesHold(mlir::Value condition) {
  mlir::Operation *op = condition.getDefiningOp();
  if (auto both = dyn_cast_or_null<arith::AndIOp>(op)) {
    auto side = [&](mlir::Value value) {
      return shapes.isUniform(value) ? scalar(value) : allLanesHold(value);
    };
    Value *left = side(both.getLhs()), *right = left ? side(both.getRhs()) : nullptr;
    return right ? b.CreateAnd(left, right) : nullptr;
  }
  auto compare = dyn_cast_or_null<arith::CmpIOp>(op);
  if (!compare)
    return nullptr;
  mlir::Value left = compare.getLhs(), right = compare.getRhs();
  arith::CmpIPredicate predicate = compare.getPredicate();
  using P = arith::CmpIPredicate;
  if (shapeOf(right).kind == Shape::Affine) {
    std::swap(left, right);
    switch (predicate) {
    case P::sgt:
      predicate = P::slt;
      break;
    case P::sge:
      predicate = P::sle;
      break;
    case P::ugt:
      predicate = P::ult;
      break;
    case P::uge:
      predicate = P::ule;
      break;
    default:
      return nullptr;
    }
  }
  Shape shape = shapeOf(left);
  if (shape.kind != Shape::Affine || shape.stride <= 0 || shape.stride > (1 << 20) ||
      !shapes.isUniform(right))
    return nullptr;
  bool isSigned = predicate == P::slt || predicate == P::sle;
  if (!isSigned && predicate != P::ult && predicate != P::ule)
    return nullptr;
  auto extend = [&](Value *value) {
    return isSigned ? b.CreateSExt(value, b.getInt64Ty()) : b.CreateZExt(value, b.getInt64Ty());
  };
  Value *last = b.CreateAdd(extend(scalar(left)), b.getInt64(shape.stride * (lanes.width - 1)));
  CmpInst::Predicate test = predicate == P::slt   ? CmpInst::ICMP_SLT
                            : predicate == P::sle ? CmpInst::ICMP_SLE
                            : predicate == P::ult ? CmpInst::ICMP_ULT
                                                  : CmpInst::ICMP_ULE;
  return b.CreateICmp(test, last, extend(scalar(right)));
}

/// The guard of a task's tail: one copy of the body, without masks, for chunks that pass it whole,
/// and one for the others.
bool Emitter::emitVersioned(scf::IfOp op) {
  if (isVersioned || mask || op.getNumResults() ||
      !(op.getElseRegion().empty() || op.getElseRegion().front().without_terminator().empty()))
    return false;
  Value *all = allLanesHold(op.getCondition());
  if (!all)
    return false;
  if (emitRows(op, all))
    return true;
  BasicBlock *full = newBlock("full"), *rest = newBlock("rest"), *part = newBlock("part"),
             *after = newBlock("guard.end");
  b.CreateCondBr(all, full, rest);
  isVersioned = true;
  b.SetInsertPoint(full);
  emitOps(op.getThenRegion().front());
  b.CreateBr(after);
  b.SetInsertPoint(rest);
  Value *condition = vector(op.getCondition());
  b.CreateCondBr(isAny(condition), part, after);
  b.SetInsertPoint(part);
  mask = condition;
  emitOps(op.getThenRegion().front());
  mask = nullptr;
  b.CreateBr(after);
  isVersioned = false;
  b.SetInsertPoint(after);
  return true;
}

//===--- while -------------------------------------------------------------===//

void Emitter::emitWhile(scf::WhileOp op) {
  if (shapes.hasDivergentExit(op)) {
    emitDivergentWhile(op);
    return;
  }
  SmallVector<Slot> slots;
  for (auto [argument, init] : llvm::zip(op.getBeforeArguments(), op.getInits())) {
    slots.push_back(makeSlot(argument.getType(), shapeOf(argument)));
    storeSlot(slots.back(), valueFor(slots.back(), init));
  }
  BasicBlock *header = newBlock("while"), *body = newBlock("do"), *after = newBlock("while.end");
  b.CreateBr(header);
  b.SetInsertPoint(header);
  for (auto [slot, argument] : llvm::zip(slots, op.getBeforeArguments()))
    define(argument, loadSlot(slot));
  emitOps(*op.getBeforeBody());
  scf::ConditionOp condition = op.getConditionOp();
  for (auto [i, forwarded] : llvm::enumerate(condition.getArgs())) {
    define(op.getAfterArguments()[i], values.lookup(forwarded));
    define(op.getResult(i), values.lookup(forwarded));
  }
  b.CreateCondBr(scalar(condition.getCondition()), body, after);
  b.SetInsertPoint(body);
  emitOps(*op.getAfterBody());
  SmallVector<LaneValue> next;
  for (auto [slot, value] : llvm::zip(slots, op.getYieldOp().getOperands()))
    next.push_back(valueFor(slot, value));
  for (auto [slot, value] : llvm::zip(slots, next))
    storeSlot(slot, value);
  hintUnroll(b.CreateBr(header), simt::getUnroll(op));
  b.SetInsertPoint(after);
}

/// Runs until no lane is left. A lane that has left keeps the values that it left with: carried
/// values are frozen for it, and others are kept aside.
void Emitter::emitDivergentWhile(scf::WhileOp op) {
  Value *outer = mask;
  scf::ConditionOp condition = op.getConditionOp();
  SmallVector<Slot> slots;
  for (auto [argument, init] : llvm::zip(op.getBeforeArguments(), op.getInits())) {
    slots.push_back(makeSlot(argument.getType(), shapeOf(argument)));
    storeSlot(slots.back(), valueFor(slots.back(), init));
  }
  // If a result is an unchanged carried value, the value's slot holds the result.
  SmallVector<bool> isFrozen(slots.size(), false);
  SmallVector<std::optional<unsigned>> resultOfSlot(op.getNumResults());
  SmallVector<Slot> kept(op.getNumResults());
  Shape varying;
  varying.kind = Shape::Varying;
  for (auto [i, forwarded] : llvm::enumerate(condition.getArgs())) {
    if (op.getResult(i).use_empty())
      continue;
    auto argument = dyn_cast<mlir::BlockArgument>(forwarded);
    if (argument && argument.getOwner() == op.getBeforeBody() && shapeOf(argument).isVarying()) {
      resultOfSlot[i] = argument.getArgNumber();
      isFrozen[argument.getArgNumber()] = true;
      continue;
    }
    kept[i] = makeSlot(forwarded.getType(), varying);
    storeSlot(kept[i], {nullptr, Constant::getNullValue(vectorType(forwarded.getType()))});
  }
  mlir::Type boolean = mlir::IntegerType::get(op.getContext(), 1);
  Slot liveSlot = makeSlot(boolean, varying);
  storeSlot(liveSlot, {nullptr, maskVector()});

  BasicBlock *header = newBlock("while"), *body = newBlock("do"), *after = newBlock("while.end");
  b.CreateBr(header);
  b.SetInsertPoint(header);
  Value *live = loadSlot(liveSlot).vector;
  mask = live;
  for (auto [slot, argument] : llvm::zip(slots, op.getBeforeArguments()))
    define(argument, loadSlot(slot));
  emitOps(*op.getBeforeBody());
  for (auto [i, forwarded] : llvm::enumerate(condition.getArgs())) {
    define(op.getAfterArguments()[i], values.lookup(forwarded));
    if (!op.getResult(i).use_empty() && !resultOfSlot[i]) {
      Value *old = loadSlot(kept[i]).vector;
      storeSlot(kept[i], {nullptr, b.CreateSelect(live, vector(forwarded), old)});
    }
  }
  Value *staying = b.CreateAnd(live, vector(condition.getCondition()));
  b.CreateCondBr(isAny(staying), body, after);
  b.SetInsertPoint(body);
  storeSlot(liveSlot, {nullptr, staying});
  mask = staying;
  emitOps(*op.getAfterBody());
  SmallVector<LaneValue> next;
  for (auto [i, value] : llvm::enumerate(op.getYieldOp().getOperands())) {
    next.push_back(valueFor(slots[i], value));
    if (isFrozen[i])
      next[i].vector = b.CreateSelect(staying, next[i].vector, vector(op.getBeforeArguments()[i]));
  }
  for (auto [slot, value] : llvm::zip(slots, next))
    storeSlot(slot, value);
  b.CreateBr(header);
  b.SetInsertPoint(after);
  mask = outer;
  for (auto [i, result] : llvm::enumerate(op.getResults())) {
    if (result.use_empty())
      continue;
    define(result, loadSlot(resultOfSlot[i] ? slots[*resultOfSlot[i]] : kept[i]));
  }
}

//===--- for ---------------------------------------------------------------===//

void Emitter::emitFor(scf::ForOp op) {
  if (shapes.hasDivergentExit(op))
    emitDivergentFor(op);
  else
    emitUniformFor(op);
}

void Emitter::emitUniformFor(scf::ForOp op) {
  SmallVector<Slot> slots;
  for (auto [argument, init] : llvm::zip(op.getRegionIterArgs(), op.getInitArgs())) {
    slots.push_back(makeSlot(argument.getType(), shapeOf(argument)));
    storeSlot(slots.back(), valueFor(slots.back(), init));
  }
  Value *lower = scalar(op.getLowerBound()), *upper = scalar(op.getUpperBound()),
        *step = scalar(op.getStep());
  BasicBlock *before = b.GetInsertBlock(), *body = newBlock("for"), *after = newBlock("for.end");
  b.CreateCondBr(b.CreateICmpSLT(lower, upper), body, after);
  b.SetInsertPoint(body);
  PHINode *counter = b.CreatePHI(lower->getType(), 2, "i");
  counter->addIncoming(lower, before);
  define(op.getInductionVar(), {counter, nullptr});
  for (auto [slot, argument] : llvm::zip(slots, op.getRegionIterArgs()))
    define(argument, loadSlot(slot));
  emitOps(*op.getBody());
  SmallVector<LaneValue> next;
  for (auto [slot, value] : llvm::zip(slots, op.getBody()->getTerminator()->getOperands()))
    next.push_back(valueFor(slot, value));
  for (auto [slot, value] : llvm::zip(slots, next))
    storeSlot(slot, value);
  Value *advanced = b.CreateAdd(counter, step, "", false, /*HasNSW=*/true);
  counter->addIncoming(advanced, b.GetInsertBlock());
  hintUnroll(b.CreateCondBr(b.CreateICmpSLT(advanced, upper), body, after), simt::getUnroll(op));
  b.SetInsertPoint(after);
  for (auto [slot, result] : llvm::zip(slots, op.getResults()))
    define(result, loadSlot(slot));
}

/// A loop whose lanes have different bounds. If lane i starts at lane 0's start plus i strides (a
/// loop over an array by the block's or grid's threads), the rounds in which all lanes take part
/// come first, without masks.
void Emitter::emitDivergentFor(scf::ForOp op) {
  Value *outer = mask;
  mlir::Value iv = op.getInductionVar();
  Slot ivSlot = makeSlot(iv.getType(), shapeOf(iv));
  storeSlot(ivSlot, valueFor(ivSlot, op.getLowerBound()));
  Shape varying;
  varying.kind = Shape::Varying;
  SmallVector<Slot> slots;
  SmallVector<std::optional<Slot>> kept(op.getNumResults());
  for (auto [i, argument] : llvm::enumerate(op.getRegionIterArgs())) {
    mlir::Value init = op.getInitArgs()[i];
    slots.push_back(makeSlot(argument.getType(), shapeOf(argument)));
    storeSlot(slots[i], valueFor(slots[i], init));
    if (!slots[i].shape.isVarying() && !op.getResult(i).use_empty()) {
      kept[i] = makeSlot(argument.getType(), varying);
      storeSlot(*kept[i], {nullptr, vector(init)});
    }
  }
  auto emitBody = [&] {
    for (auto [slot, argument] : llvm::zip(slots, op.getRegionIterArgs()))
      define(argument, loadSlot(slot));
    emitOps(*op.getBody());
    SmallVector<LaneValue> next;
    for (auto [i, value] : llvm::enumerate(op.getBody()->getTerminator()->getOperands())) {
      next.push_back(valueFor(slots[i], value));
      if (kept[i])
        storeSlot(*kept[i], {nullptr, whereActive(vector(value), loadSlot(*kept[i]).vector)});
      else if (slots[i].vector && !op.getResult(i).use_empty())
        next[i].vector = whereActive(next[i].vector, vector(op.getRegionIterArgs()[i]));
    }
    for (auto [slot, value] : llvm::zip(slots, next))
      storeSlot(slot, value);
    LaneValue counter = values.lookup(iv);
    mlir::Value step = op.getStep();
    if (counter.scalar)
      counter.scalar = b.CreateAdd(counter.scalar, scalar(step));
    if (counter.vector)
      counter.vector = b.CreateAdd(counter.vector, vector(step));
    storeSlot(ivSlot, counter);
  };

  Shape shape = shapeOf(iv);
  bool hasFullRounds = !mask && !isVersioned && shape.kind == Shape::Affine && shape.stride > 0 &&
                       shape.stride < (1 << 20) && shapes.isUniform(op.getUpperBound());
  bool wasVersioned = isVersioned;
  isVersioned |= hasFullRounds;
  if (hasFullRounds) {
    BasicBlock *header = newBlock("rounds"), *body = newBlock("round"), *after = newBlock("rest");
    b.CreateBr(header);
    b.SetInsertPoint(header);
    LaneValue counter = loadSlot(ivSlot);
    Value *last = b.CreateAdd(b.CreateSExt(counter.scalar, b.getInt64Ty()),
                              b.getInt64(shape.stride * (lanes.width - 1)));
    Value *upper = b.CreateSExt(scalar(op.getUpperBound()), b.getInt64Ty());
    b.CreateCondBr(b.CreateICmpSLT(last, upper), body, after);
    b.SetInsertPoint(body);
    define(iv, counter);
    emitBody();
    b.CreateBr(header);
    b.SetInsertPoint(after);
  }

  mlir::Type boolean = mlir::IntegerType::get(op.getContext(), 1);
  Slot liveSlot = makeSlot(boolean, varying);
  storeSlot(liveSlot, {nullptr, maskVector()});
  BasicBlock *header = newBlock("for"), *body = newBlock("do"), *after = newBlock("for.end");
  b.CreateBr(header);
  b.SetInsertPoint(header);
  define(iv, loadSlot(ivSlot));
  Value *below = b.CreateICmpSLT(vector(iv), vector(op.getUpperBound()));
  Value *live = b.CreateAnd(loadSlot(liveSlot).vector, below);
  b.CreateCondBr(isAny(live), body, after);
  b.SetInsertPoint(body);
  storeSlot(liveSlot, {nullptr, live});
  mask = live;
  emitBody();
  b.CreateBr(header);
  b.SetInsertPoint(after);
  mask = outer;
  isVersioned = wasVersioned;
  for (auto [i, result] : llvm::enumerate(op.getResults()))
    if (!result.use_empty())
      define(result, loadSlot(kept[i] ? *kept[i] : slots[i]));
}
