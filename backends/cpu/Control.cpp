// Structured control flow inside one chunk of lanes: branches if lanes agree, masks if they do not.
// Loops are in Loops.cpp.
#include "backends/common/Elementwise.h"
#include "backends/cpu/Arith.h"
#include "backends/cpu/LaneEmitter.h"
#include "backends/cpu/Threads.h"

#include "frontend/ir/Refuse.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace llvm;
using namespace sextant;
using namespace sextant::cpu;
namespace arith = mlir::arith;
namespace math = mlir::math;
namespace scf = mlir::scf;

void LaneEmitter::emitOps(mlir::Block &block) {
  DebugLoc outside = b.getCurrentDebugLocation();
  shown.showMask();
  for (mlir::Operation &op : block.without_terminator()) {
    if (code.failed)
      return;
    emitOp(op);
    if (op.getNumRegions())
      shown.showMask();
  }
  b.SetCurrentDebugLocation(outside);
}

void LaneEmitter::emitOp(mlir::Operation &op) {
  if (!isAgain) // else a debugger would stop at the line once more
    code.lines.set(b, op.getLoc());
  if (auto known = assumed.empty() || op.getNumResults() != 1 ? assumed.end()
                                                              : assumed.find(op.getResult(0));
      known != assumed.end()) {
    if (known->second)
      values.define(op.getResult(0), values.lookup(known->second));
    else
      values.define(op.getResult(0), {assumedQuotient, nullptr});
    return;
  }
  llvm::TypeSwitch<mlir::Operation *>(&op)
      .Case([&](scf::IfOp o) { emitIf(o); })
      .Case([&](scf::ForOp o) {
        if (values.shapes.hasDivergentExit(o))
          emitDivergentFor(o);
        else
          emitUniformFor(o);
      })
      .Case([&](scf::WhileOp o) {
        if (values.shapes.hasDivergentExit(o))
          emitDivergentWhile(o);
        else
          emitUniformWhile(o);
      })
      .Case<simt::SharedOp, simt::PrivateOp>([](auto) {}) // made by emitAllocations
      .Case([&](simt::ViewOp o) { values.define(o, {values.scalar(o.getSource()), nullptr}); })
      .Case([&](simt::LoadOp o) { memory.emitLoad(o); })
      .Case([&](simt::StoreOp o) { memory.emitStore(o); })
      .Case([&](simt::LoadVectorOp o) { memory.emitLoadVector(o); })
      .Case([&](simt::StoreVectorOp o) { memory.emitStoreVector(o); })
      .Case([&](simt::AtomicRmwOp o) {
        if (!deferred.emit(o))
          atomics.emitRmw(o);
      })
      .Case([&](simt::AtomicCasOp o) { atomics.emitCas(o); })
      .Case([&](simt::AtomicAddVectorOp o) { atomics.emitAddVector(o); })
      .Case([&](simt::DebugValueOp o) { shown.emitDebugValue(o); })
      .Default([&](mlir::Operation *o) {
        if (emitThreadOp(*o, code) || emitElementwise(*o) || code.failed)
          return;
        simt::refuse(o, Problem::InternalNoCode)
            << "internal error: no code for '" << o->getName().getStringRef()
            << "' on the CPU; please report it with the kernel";
        code.failed = true;
      });
}

void LaneEmitter::emitAgain(mlir::Operation &op) {
  bool wasAgain = std::exchange(isAgain, true);
  emitOp(op);
  isAgain = wasAgain;
}

void LaneEmitter::setChunk(Value *index) {
  code.chunk = index;
  code.threadBase = b.CreateMul(index, b.getInt32(lanes.width), "thread", true, true);
  shown.showChunk();
}

void LaneEmitter::setGridThread(Value *number) {
  code.gridThread = number;
  Value *threads = b.getInt64(lanes.blockDim);
  code.blockIndex = b.CreateTrunc(b.CreateUDiv(number, threads), b.getInt32Ty());
  code.threadBase = b.CreateTrunc(b.CreateURem(number, threads), b.getInt32Ty());
  code.chunk = b.CreateUDiv(code.threadBase, b.getInt32(lanes.width));
  shown.showChunk();
}

//===--- Elementwise ops ---------------------------------------------------===//

bool LaneEmitter::emitElementwise(mlir::Operation &op) {
  mlir::Dialect *dialect = op.getDialect();
  if (!dialect || op.getNumRegions() || op.getNumResults() != 1 ||
      !(isa<arith::ArithDialect, math::MathDialect>(dialect) ||
        isa<simt::MulHighOp, simt::ToIntOp>(op)))
    return false;
  mlir::Value result = op.getResult(0);
  Shape shape = values.shapeOf(result);
  LaneValue lane;
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (!result.getType().isIntOrIndexOrFloat())
      return false;
    Constant *value = constantValue(constant.getValue(), b.getContext());
    if (value->getType()->isHalfTy()) {
      APInt bits = cast<ConstantFP>(value)->getValueAPF().bitcastToAPInt();
      value = ConstantInt::get(b.getContext(), bits);
    }
    values.define(result, {value, nullptr});
    return true;
  }
  auto operands = [&](bool wide) {
    SmallVector<Value *> list;
    bool isSelect = isa<arith::SelectOp>(op);
    for (auto [i, operand] : llvm::enumerate(op.getOperands())) {
      // A condition that all lanes share stays one select.
      bool keepScalar = isSelect && i == 0 && values.isUniform(operand);
      list.push_back(wide && !keepScalar ? values.vector(operand) : values.scalar(operand));
    }
    return list;
  };
  // Lane 0's value of an affine result is the op on lane 0's operands.
  if (shape.hasScalar() && !(lane.scalar = elementwise(op, operands(false), b)))
    return false;
  if ((shape.isVarying() || (shape.kind == Shape::Affine && !shape.exact)) &&
      !(lane.vector = elementwise(op, operands(true), b)))
    return false;
  values.define(result, lane);
  return true;
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

void LaneEmitter::emitIf(scf::IfOp op) {
  if (!values.isUniform(op.getCondition())) {
    if (!emitVersioned(op))
      emitDivergentIf(op);
    return;
  }
  SmallVector<Slot> slots;
  for (mlir::Value result : op.getResults())
    slots.push_back(values.makeSlot(result.getType(), values.shapeOf(result)));
  bool hasElse = !op.getElseRegion().empty();
  BasicBlock *then = b.newBlock("then"), *after = b.newBlock("endif");
  BasicBlock *otherwise = hasElse ? b.newBlock("else") : after;
  b.CreateCondBr(values.scalar(op.getCondition()), then, otherwise);
  auto emitBranch = [&](BasicBlock *block, mlir::Region &region) {
    b.SetInsertPoint(block);
    emitOps(region.front());
    for (auto [slot, value] : llvm::zip(slots, region.front().getTerminator()->getOperands()))
      values.storeSlot(slot, values.valueFor(slot, value));
    b.CreateBr(after);
  };
  emitBranch(then, op.getThenRegion());
  if (hasElse)
    emitBranch(otherwise, op.getElseRegion());
  b.SetInsertPoint(after);
  for (auto [slot, result] : llvm::zip(slots, op.getResults()))
    values.define(result, values.loadSlot(slot));
}

void LaneEmitter::emitDivergentIf(scf::IfOp op) {
  Value *condition = values.vector(op.getCondition());
  Value *outer = b.mask;
  // Where the other side does nothing, its values are there beforehand: the lanes choose where the
  // first side ends, and a branch around it costs no selects.
  SmallVector<Value *> idle;
  const bool isOneSided =
      !op.getElseRegion().empty() && op.getElseRegion().front().without_terminator().empty();
  if (isOneSided)
    for (mlir::Value value : op.getElseRegion().front().getTerminator()->getOperands())
      idle.push_back(values.vector(value));
  SmallVector<Value *> results[2];
  auto emitSide = [&](mlir::Region &region, Value *active, SmallVector<Value *> &yielded) {
    if (region.empty())
      return;
    mlir::Block &body = region.front();
    auto collect = [&] {
      for (auto [i, value] : llvm::enumerate(body.getTerminator()->getOperands())) {
        Value *lanes = values.vector(value);
        yielded.push_back(isOneSided ? b.CreateSelect(condition, lanes, idle[i]) : lanes);
      }
    };
    b.mask = active;
    if (isCheap(region)) {
      emitOps(body);
      collect();
      b.mask = outer;
      return;
    }
    BasicBlock *before = b.GetInsertBlock();
    BasicBlock *side = b.newBlock("masked"), *after = b.newBlock("masked.end");
    b.CreateCondBr(b.isAny(active), side, after);
    b.SetInsertPoint(side);
    emitOps(body);
    collect();
    BasicBlock *end = b.GetInsertBlock();
    b.CreateBr(after);
    b.SetInsertPoint(after);
    for (auto [i, value] : llvm::enumerate(yielded)) {
      PHINode *merged = b.CreatePHI(value->getType(), 2);
      merged->addIncoming(value, end);
      merged->addIncoming(isOneSided ? idle[i] : Constant::getNullValue(value->getType()), before);
      value = merged;
    }
    b.mask = outer;
  };
  emitSide(op.getThenRegion(), b.andMask(condition), results[0]);
  if (!isOneSided) {
    if (!op.getElseRegion().empty())
      emitSide(op.getElseRegion(), b.andMask(b.CreateNot(condition)), results[1]);
    for (auto [i, value] : llvm::enumerate(results[0]))
      value = b.CreateSelect(condition, value, results[1][i]);
  }
  for (auto [value, result] : llvm::zip(results[0], op.getResults()))
    values.define(result, {nullptr, value});
}

/// Compares the last lane that passes: the value is affine, rises, and must be below a bound. The
/// comparison is in 64 bits, so that a 32-bit sum that wraps reads as "not all".
Value *LaneEmitter::allLanesHold(mlir::Value condition, Value *lastLane) {
  mlir::Operation *op = condition.getDefiningOp();
  if (auto both = dyn_cast_or_null<arith::AndIOp>(op)) {
    auto side = [&](mlir::Value value) {
      return values.isUniform(value) ? values.scalar(value) : allLanesHold(value, lastLane);
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
  if (values.shapeOf(right).kind == Shape::Affine) {
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
  Shape shape = values.shapeOf(left);
  if (shape.kind != Shape::Affine || shape.stride <= 0 || shape.stride > (1 << 20) ||
      !values.isUniform(right))
    return nullptr;
  bool isSigned = predicate == P::slt || predicate == P::sle;
  if (!isSigned && predicate != P::ult && predicate != P::ule)
    return nullptr;
  auto extend = [&](Value *value) {
    return isSigned ? b.CreateSExt(value, b.getInt64Ty()) : b.CreateZExt(value, b.getInt64Ty());
  };
  Value *last =
      b.CreateAdd(extend(values.scalar(left)), b.CreateMul(lastLane, b.getInt64(shape.stride)));
  CmpInst::Predicate test = predicate == P::slt   ? CmpInst::ICMP_SLT
                            : predicate == P::sle ? CmpInst::ICMP_SLE
                            : predicate == P::ult ? CmpInst::ICMP_ULT
                                                  : CmpInst::ICMP_ULE;
  return b.CreateICmp(test, last, extend(values.scalar(right)));
}

/// The guard of a task's tail: one copy of the body, without masks, for chunks that pass it whole,
/// and one for the others.
bool LaneEmitter::emitVersioned(scf::IfOp op) {
  if (versions || b.mask || op.getNumResults() ||
      !(op.getElseRegion().empty() || op.getElseRegion().front().without_terminator().empty()))
    return false;
  Value *all = allLanesHold(op.getCondition(), b.getInt64(lanes.width - 1));
  if (!all)
    return false;
  if (emitRows(op, all))
    return true;
  BasicBlock *full = b.newBlock("full"), *rest = b.newBlock("rest"), *part = b.newBlock("part"),
             *after = b.newBlock("guard.end");
  b.CreateCondBr(all, full, rest);
  versions = 1;
  b.SetInsertPoint(full);
  emitOps(op.getThenRegion().front());
  b.CreateBr(after);
  b.SetInsertPoint(rest);
  Value *condition = values.vector(op.getCondition());
  b.CreateCondBr(b.isAny(condition), part, after);
  b.SetInsertPoint(part);
  b.mask = condition;
  emitOps(op.getThenRegion().front());
  b.mask = nullptr;
  b.CreateBr(after);
  versions = 0;
  b.SetInsertPoint(after);
  return true;
}
