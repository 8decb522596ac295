// Loops over several axes. An iteration's number is divided by the extent of the last axis, so each
// lane has indices of its own, although most chunks lie within one row. The guard of the task's
// tail becomes a choice of copies: in one, the chunk is in one row, and no lane's index is clamped
// at a border. Then the quotient is a scalar, the last index is affine, and accesses are of
// consecutive elements. Other chunks take a masked copy once for each row; where a chunk has many
// rows, lanes keep quotients of their own.
//
// If the loop is all that the task does, chunks follow one another along rows: each row begins with
// a chunk, and only the last one of a row, which is as long as what is left, has a mask. Those
// inside of a row run in a loop, in which what belongs to the row does not change.
#include "backends/cpu/Arith.h"
#include "backends/cpu/LaneEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace llvm;
using namespace sextant;
using namespace sextant::cpu;
namespace arith = mlir::arith;
namespace scf = mlir::scf;

/// The most rows that a chunk is taken apart into.
static constexpr unsigned mostRows = 3;
/// Regions of more operations have two copies. In these, every chunk is taken apart into rows.
static constexpr unsigned mostOpsOfThreeCopies = 300;

namespace {
/// The values that a guarded block computes from its counter, and nothing else that differs between
/// lanes.
class OfCounter {
public:
  OfCounter(mlir::Block &block, mlir::Value counter, const ShapeAnalysis &shapes)
      : block(block), counter(counter), shapes(shapes) {}

  bool operator()(mlir::Value value, unsigned depth = 0) const {
    if (value == counter)
      return true;
    mlir::Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != &block)
      return shapes.isUniform(value) && value.getParentBlock() != &block;
    if (depth > 12 || op->getNumRegions() || op->getNumResults() != 1 ||
        !isa<mlir::IntegerType>(value.getType()) ||
        !(isa<arith::ArithDialect>(op->getDialect()) || isa<simt::MulHighOp>(op)) ||
        !llvm::all_of(op->getOperandTypes(),
                      [](mlir::Type t) { return isa<mlir::IntegerType>(t); }))
      return false;
    return llvm::all_of(op->getOperands(),
                        [&](mlir::Value operand) { return (*this)(operand, depth + 1); });
  }

private:
  mlir::Block &block;
  mlir::Value counter;
  const ShapeAnalysis &shapes;
};
} // namespace

/// Returns the affine side of a comparison that guards a tail.
static mlir::Value guardedCounter(mlir::Value condition, const ShapeAnalysis &shapes) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return nullptr;
  for (mlir::Value side : compare->getOperands())
    if (shapes.of(side).kind == Shape::Affine && shapes.of(side).exact)
      return side;
  return nullptr;
}

/// Returns the divisor if `op` is the counter's quotient by something uniform: as a division, or as
/// the product that launches prepare for axes (abi::Division). Either rises, or falls, with the
/// counter. The product's divisor is not known, which is null.
static std::optional<mlir::Value> quotientOf(mlir::Operation &op, mlir::Value counter,
                                             const OfCounter &isOfCounter,
                                             const ShapeAnalysis &shapes) {
  if (op.getNumResults() != 1 || op.getNumOperands() != 2 || !isOfCounter(op.getResult(0)))
    return std::nullopt;
  if (isa<arith::DivUIOp, arith::DivSIOp>(op) && op.getOperand(0) == counter)
    return shapes.isUniform(op.getOperand(1)) ? std::optional(op.getOperand(1)) : std::nullopt;
  auto shift = dyn_cast<arith::ShRUIOp>(op);
  auto product = shift ? shift.getLhs().getDefiningOp<simt::MulHighOp>() : nullptr;
  auto twice = product ? product->getOperand(0).getDefiningOp<arith::ShLIOp>() : nullptr;
  if (twice && twice.getLhs() == counter && simt::constantInteger(twice.getRhs()) == 1)
    return mlir::Value();
  return std::nullopt;
}

/// The shape of a clamp whose bound no lane meets is that of what is clamped. Returns that operand,
/// or null.
static mlir::Value clampedOperand(mlir::Operation &op, const ShapeAnalysis &shapes) {
  if (!isa<arith::MaxSIOp, arith::MinSIOp>(op))
    return nullptr;
  mlir::Value left = op.getOperand(0), right = op.getOperand(1);
  auto isRising = [&](mlir::Value value) {
    Shape shape = shapes.of(value);
    return shape.kind == Shape::Affine && shape.exact && shape.stride > 0 &&
           shape.stride < (1 << 20);
  };
  if (isRising(left) && shapes.isUniform(right))
    return left;
  if (isRising(right) && shapes.isUniform(left))
    return right;
  return nullptr;
}

/// True if the extent is known not to be negative: quotients by others fall.
static bool isPositive(mlir::Value extent) {
  if (const std::optional<int64_t> constant = simt::constantInteger(extent))
    return *constant > 0;
  auto argument = dyn_cast<mlir::BlockArgument>(extent);
  return argument && simt::isNonNegative(argument);
}

/// The length of a row, as the remainder that belongs to the quotient is computed with it; or null.
static mlir::Value extentOf(mlir::Value quotient, mlir::Value counter) {
  if (auto *op = quotient.getDefiningOp(); isa<arith::DivUIOp, arith::DivSIOp>(op))
    return op->getOperand(1);
  for (mlir::Operation *product : quotient.getUsers())
    if (isa<arith::MulIOp>(product) && product->getBlock() == quotient.getParentBlock())
      for (mlir::Operation *rest : product->getUsers())
        if (isa<arith::SubIOp>(rest) && rest->getOperand(0) == counter &&
            rest->getOperand(1) == product->getResult(0))
          return product->getOperand(product->getOperand(0) == quotient ? 1 : 0);
  return nullptr;
}

std::optional<LaneEmitter::Rows> LaneEmitter::findRows(scf::IfOp op) {
  if (synchronises(code.task) || usesSubgroups(code.task) || containsBarrier(code.task))
    return std::nullopt;
  mlir::Block &block = op.getThenRegion().front();
  Rows rows;
  rows.counter = guardedCounter(op.getCondition(), values.shapes);
  if (!rows.counter)
    return std::nullopt;
  OfCounter isOfCounter(block, rows.counter, values.shapes);
  for (mlir::Operation &inner : block) {
    std::optional<mlir::Value> divisor =
        quotientOf(inner, rows.counter, isOfCounter, values.shapes);
    if (!divisor || !values.shapes.of(inner.getResult(0)).isVarying())
      continue;
    auto extent = *divisor ? simt::constantInteger(*divisor) : std::nullopt;
    if (extent && *extent < int64_t(lanes.width) / 4)
      return std::nullopt;
    rows.quotient = inner.getResult(0);
    rows.hasManyRows = !extent || *extent * (mostRows - 1) < int64_t(lanes.width);
    break;
  }
  if (!rows.quotient)
    return std::nullopt;
  unsigned ops = 0;
  op.walk([&](mlir::Operation *) { ++ops; });
  const bool isSmall = ops <= mostOpsOfThreeCopies;
  rows.hasManyRows &= isSmall;
  rows.inRow[rows.quotient] = nullptr;
  rows.inside = rows.inRow;
  // A clamp may be of what another one leaves.
  for (bool isNew = true; isNew;) {
    isNew = false;
    ShapeAnalysis known(code.task, lanes, rows.inside);
    for (mlir::Operation &inner : block) {
      mlir::Value operand = clampedOperand(inner, known);
      if (!operand || rows.clamps.size() >= 16 || !isOfCounter(inner.getResult(0)))
        continue;
      isNew |= rows.inside.try_emplace(inner.getResult(0), operand).second;
      if (!llvm::is_contained(rows.clamps, &inner))
        rows.clamps.push_back(&inner);
    }
  }
  rows.isClampedWhole = isSmall && !rows.clamps.empty();
  mlir::Value length = extentOf(rows.quotient, rows.counter);
  const bool mayFall = isa<arith::DivSIOp>(rows.quotient.getDefiningOp());
  if (length && isOfCounter(length) && values.shapes.isUniform(length) &&
      (!mayFall || isPositive(length)))
    rows.extent = length;
  return rows;
}

/// Computes `value`, for which OfCounter holds.
Value *LaneEmitter::evaluate(mlir::Value value, Elsewhere &at) {
  if (Value *found = at.known.lookup(value))
    return found;
  auto uniform = [&](Value *one) { return at.isWide ? b.splat(one) : one; };
  mlir::Operation *op = value.getDefiningOp();
  Value *result = nullptr;
  if (value.getParentBlock() != &at.block) {
    result = uniform(values.scalar(value));
  } else if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    emitOp(*op);
    result = uniform(values.scalar(value));
  } else {
    SmallVector<Value *> operands;
    for (mlir::Value operand : op->getOperands())
      operands.push_back(evaluate(operand, at));
    result = elementwise(*op, operands, b);
  }
  at.known[value] = result;
  return result;
}

/// True if `value` is the same in all threads of a launch.
static bool isOfLaunch(mlir::Value value, unsigned depth = 0) {
  mlir::Operation *op = value.getDefiningOp();
  if (!op)
    return isa<mlir::func::FuncOp>(value.getParentBlock()->getParentOp());
  return depth < 12 && (isa<arith::ArithDialect>(op->getDialect()) || isa<simt::MulHighOp>(op)) &&
         llvm::all_of(
             op->getOperands(),
             [&](mlir::Value operand) { return isOfLaunch(operand, depth + 1); });
}

namespace {
/// How much a value grows from block to block, and from thread to thread.
struct Growth {
  int64_t block = 0, thread = 0;
};
} // namespace

static std::optional<Growth> growthOf(mlir::Value value, unsigned depth = 0) {
  mlir::Operation *op = value.getDefiningOp();
  if (isOfLaunch(value))
    return Growth{};
  if (isa_and_nonnull<simt::BlockIdxOp>(op))
    return Growth{1, 0};
  if (isa_and_nonnull<simt::ThreadIdxOp>(op))
    return Growth{0, 1};
  if (depth > 8 || !isa_and_nonnull<arith::AddIOp, arith::MulIOp>(op))
    return std::nullopt;
  std::optional<Growth> left = growthOf(op->getOperand(0), depth + 1);
  if (auto factor = simt::constantInteger(op->getOperand(1)); left && isa<arith::MulIOp>(op))
    return factor ? std::optional(Growth{left->block * *factor, left->thread * *factor})
                  : std::nullopt;
  std::optional<Growth> right = left ? growthOf(op->getOperand(1), depth + 1) : std::nullopt;
  if (!right)
    return std::nullopt;
  return Growth{left->block + right->block, left->thread + right->thread};
}

/// True if the guard of the task's tail is all that it does, the counter is the thread's number in
/// the grid, and all else that the guard reads is the launch's: then its code runs for any chunk of
/// the grid if the counter is that chunk's. Beside the work of a loop, finding a place costs
/// little.
static bool isAlongRow(scf::IfOp op, mlir::Value counter, mlir::func::FuncOp task,
                       const Lanes &lanes) {
  const std::optional<Growth> growth = growthOf(counter);
  if (op->getParentOp() != task || !growth || growth->thread != 1 ||
      growth->block != int64_t(lanes.blockDim))
    return false;
  for (mlir::Operation &other : *op->getBlock())
    if (&other != op && !other.hasTrait<mlir::OpTrait::IsTerminator>() &&
        !mlir::isMemoryEffectFree(&other))
      return false;
  auto isKnown = [&](mlir::Value operand) {
    return operand == counter || op.getThenRegion().isAncestor(operand.getParentRegion()) ||
           isOfLaunch(operand);
  };
  bool all = llvm::all_of(op.getCondition().getDefiningOp()->getOperands(), isKnown);
  op.getThenRegion().walk([&](mlir::Operation *inner) {
    all &= !isa<mlir::LoopLikeOpInterface>(inner) && llvm::all_of(inner->getOperands(), isKnown);
  });
  return all;
}

bool LaneEmitter::goesAlongRows() {
  for (auto op : code.task.getBody().front().getOps<scf::IfOp>()) {
    mlir::Value counter = guardedCounter(op.getCondition(), values.shapes);
    if (counter && !op.getNumResults() && op.getElseRegion().empty()) {
      if (!isAlongRow(op, counter, code.task, lanes))
        return false;
      const std::optional<Rows> rows = findRows(op);
      return rows && rows->extent;
    }
  }
  return false;
}

/// How many threads from this one on are in its row, and among those `ofCall` that the call still
/// runs, an i64. At least one, so that a call ends, also where no thread has the counter.
Value *LaneEmitter::roomInRow(const Rows &rows, Elsewhere &first, Value *row, Value *ofCall) {
  Value *next = b.CreateMul(b.CreateAdd(row, ConstantInt::get(row->getType(), 1)),
                            evaluate(rows.extent, first));
  Value *rest = b.CreateSub(next, first.known.lookup(rows.counter));
  rest = b.CreateBinaryIntrinsic(Intrinsic::umin, b.CreateZExt(rest, b.getInt64Ty()), ofCall);
  return b.CreateBinaryIntrinsic(Intrinsic::umax, rest, b.getInt64(1));
}

/// How many chunks after this one lie inside of the same row, an i64. Only the last chunk that
/// neither the row's end nor an upper bound cuts off is looked at: those before it are inside if it
/// is.
Value *LaneEmitter::countInside(scf::IfOp op, const Rows &rows, Elsewhere &last, Value *row,
                                Value *room) {
  const ShapeAnalysis known(code.task, lanes, rows.inside);
  mlir::Block &body = op.getThenRegion().front();
  std::function<bool(mlir::Value)> isOfRow = [&](mlir::Value value) {
    if (value == rows.quotient || value.getParentBlock() != &body)
      return value != rows.counter;
    mlir::Operation *at = value.getDefiningOp();
    return at && llvm::all_of(at->getOperands(), isOfRow);
  };
  Type *i64 = b.getInt64Ty();
  Value *width = b.getInt64(lanes.width);
  Value *count = b.CreateSub(b.CreateUDiv(room, width), b.getInt64(1));
  SmallVector<mlir::Value> rising;
  for (mlir::Operation *clamp : rows.clamps) {
    mlir::Value operand = rows.inside.lookup(clamp->getResult(0));
    mlir::Value bound = clamp->getOperand(clamp->getOperand(0) == operand ? 1 : 0);
    const int64_t stride = known.of(operand).stride;
    if (!isOfRow(bound) || stride != 1)
      return b.getInt64(0);
    if (isa<arith::MaxSIOp>(clamp)) {
      rising.push_back(operand);
      continue;
    }
    Value *more = b.CreateSub(b.CreateSExt(evaluate(bound, last), i64),
                              b.CreateSExt(evaluate(operand, last), i64));
    count = b.CreateBinaryIntrinsic(Intrinsic::umin, count, b.CreateUDiv(more, width));
  }
  BasicBlock *before = b.GetInsertBlock(), *looking = b.newBlock("look"),
             *counted = b.newBlock("counted");
  b.CreateCondBr(b.CreateIsNull(count), counted, looking);
  b.SetInsertPoint(looking);
  Value *counter = values.scalar(rows.counter);
  Type *type = counter->getType();
  Value *steps = b.CreateMul(b.CreateZExtOrTrunc(count, type), ConstantInt::get(type, lanes.width));
  Elsewhere there{body, {{rows.counter, b.CreateAdd(last.known.lookup(rows.counter), steps)}}};
  Value *holds = b.CreateICmpEQ(evaluate(rows.quotient, there), row);
  for (mlir::Value operand : rising) // it does not wrap
    holds = b.CreateAnd(holds, b.CreateICmpSLE(evaluate(operand, last), evaluate(operand, there)));
  LaneValues::Scope scope(values);
  values.define(rows.counter, {b.CreateAdd(counter, steps), nullptr});
  holds = b.CreateAnd(holds, allLanesHold(op.getCondition()));
  Value *found = b.CreateSelect(holds, count, b.getInt64(0));
  BasicBlock *looked = b.GetInsertBlock();
  b.CreateBr(counted);
  b.SetInsertPoint(counted);
  PHINode *result = b.CreatePHI(i64, 2);
  result->addIncoming(b.getInt64(0), before);
  result->addIncoming(found, looked);
  return result;
}

/// Emits `body` for so many chunks, from this one on, that lie inside of the same row, so that what
/// belongs to the row is computed once.
void LaneEmitter::emitAlongRow(const Rows &rows, Value *chunks, function_ref<void()> body) {
  Value *counter = values.scalar(rows.counter);
  b.countedLoop(
      b.getInt64(0), chunks,
      [&](Value *chunk) {
        LaneValues::Scope scope(values);
        Value *steps = b.CreateZExtOrTrunc(chunk, counter->getType());
        steps = b.CreateMul(steps, ConstantInt::get(counter->getType(), lanes.width));
        values.define(rows.counter, {b.CreateAdd(counter, steps), nullptr});
        body();
      },
      "along");
}

/// Runs a chunk of a few rows by a masked copy once for each, and goes to `after`.
void LaneEmitter::emitEachRow(const Rows &rows, Value *condition, mlir::Block &body,
                              function_ref<Value *(Value *)> counterOf,
                              function_ref<void(const Assumptions &, Value *)> emitCopy,
                              BasicBlock *after) {
  Elsewhere each{body, {{rows.counter, values.vector(rows.counter)}}, /*isWide=*/true};
  Value *quotients = evaluate(rows.quotient, each);
  BasicBlock *before = b.GetInsertBlock(), *loop = b.newBlock("row");
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  PHINode *rest = b.CreatePHI(condition->getType(), 2);
  rest->addIncoming(condition, before);
  b.mask = rest;
  Elsewhere here{body, {{rows.counter, counterOf(b.firstActiveLane())}}};
  Value *quotient = evaluate(rows.quotient, here);
  b.mask = b.CreateAnd(rest, b.CreateICmpEQ(quotients, b.splat(quotient)));
  Value *others = b.CreateAnd(rest, b.CreateNot(b.mask));
  emitCopy(rows.inRow, quotient);
  rest->addIncoming(others, b.GetInsertBlock());
  b.CreateCondBr(b.isAny(others), loop, after);
}

bool LaneEmitter::emitRows(scf::IfOp op, Value *all) {
  std::optional<Rows> rows = findRows(op);
  if (!rows)
    return false;
  mlir::Block &body = op.getThenRegion().front();
  Value *base = values.scalar(rows->counter);
  const int64_t stride = values.shapeOf(rows->counter).stride;
  auto counterOf = [&](Value *lane) {
    Value *steps = b.CreateZExtOrTrunc(lane, base->getType());
    return b.CreateAdd(base, b.CreateMul(steps, ConstantInt::get(base->getType(), stride)));
  };
  Elsewhere first{body, {{rows->counter, base}}};
  Elsewhere last{body, {{rows->counter, counterOf(b.getInt32(lanes.width - 1))}}};
  Value *row = evaluate(rows->quotient, first), *lastRow = evaluate(rows->quotient, last);
  const bool isAlong = code.gridThread;
  Value *width = b.getInt64(lanes.width), *ofCall = nullptr, *room = nullptr;
  if (isAlong) {
    Value *end = b.CreateMul(b.CreateZExt(code.end, b.getInt64Ty()), b.getInt64(lanes.blockDim));
    ofCall = b.CreateSub(end, code.gridThread);
    room = roomInRow(*rows, first, row, ofCall);
  }
  Value *isInRow =
      b.CreateAnd(all, isAlong ? b.CreateICmpUGE(room, width) : b.CreateICmpEQ(row, lastRow));
  Value *isInside = isInRow;
  for (mlir::Operation *clamp : rows->clamps) {
    mlir::Value operand = rows->inside.lookup(clamp->getResult(0));
    mlir::Value bound = clamp->getOperand(clamp->getOperand(0) == operand ? 1 : 0);
    const bool isLower = isa<arith::MaxSIOp>(clamp);
    Value *least = evaluate(operand, first), *greatest = evaluate(operand, last);
    Value *limit = evaluate(bound, first);
    isInside = b.CreateAnd(isInside, b.CreateICmpSLE(least, greatest)); // it does not wrap
    isInside = b.CreateAnd(isInside, isLower ? b.CreateICmpSGE(least, limit)
                                             : b.CreateICmpSLE(greatest, limit));
  }

  BasicBlock *inside = b.newBlock("inside"), *other = b.newBlock("border"),
             *part = b.newBlock("part"), *after = b.newBlock("guard.end");
  SmallVector<std::pair<Value *, BasicBlock *>> ways; // how many threads each did the work of
  auto leave = [&](Value *threads) {
    ways.emplace_back(threads, b.GetInsertBlock());
    b.CreateBr(after);
  };
  b.CreateCondBr(isInside, inside, other);
  versions = mostVersions;
  auto emitCopy = [&](const Assumptions &assumptions, Value *quotient) {
    ShapeAnalysis outer =
        std::exchange(values.shapes, ShapeAnalysis(code.task, lanes, assumptions));
    assumed = assumptions;
    assumedQuotient = quotient;
    emitOps(body);
    assumed.clear();
    values.shapes = std::move(outer);
  };
  b.SetInsertPoint(inside);
  if (isAlong) {
    Value *chunks = b.CreateAdd(countInside(op, *rows, last, row, room), b.getInt64(1));
    emitAlongRow(*rows, chunks, [&] { emitCopy(rows->inside, row); });
    leave(b.CreateMul(chunks, width));
  } else {
    emitCopy(rows->inside, row);
    leave(width);
  }

  b.SetInsertPoint(other);
  if (rows->isClampedWhole) {
    BasicBlock *whole = b.newBlock("whole"), *across = b.newBlock("across");
    b.CreateCondBr(isInRow, whole, across);
    b.SetInsertPoint(whole);
    emitCopy(rows->inRow, row);
    leave(width);
    b.SetInsertPoint(across);
  }
  auto isBelow = [&](Value *threads) {
    threads =
        b.CreateTrunc(b.CreateBinaryIntrinsic(Intrinsic::umin, threads, width), b.getInt32Ty());
    return b.CreateICmpULT(b.iota(b.getInt32Ty()), b.splat(threads));
  };
  Value *condition = values.vector(op.getCondition());
  if (isAlong)
    condition = b.CreateAnd(condition, isBelow(ofCall));
  ways.emplace_back(width, b.GetInsertBlock());
  b.CreateCondBr(b.isAny(condition), part, after);
  b.SetInsertPoint(part);
  if (rows->hasManyRows) {
    BasicBlock *few = b.newBlock("rows"), *many = b.newBlock("many");
    Value *others = b.CreateSub(lastRow, row);
    b.CreateCondBr(b.CreateICmpULT(others, ConstantInt::get(others->getType(), mostRows)), few,
                   many);
    b.SetInsertPoint(many);
    b.mask = condition;
    emitOps(body);
    leave(width);
    b.SetInsertPoint(few);
  }
  if (isAlong) {
    BasicBlock *end = b.newBlock("end");
    Value *threads = b.CreateBinaryIntrinsic(Intrinsic::umin, room, width);
    b.mask = b.CreateAnd(condition, isBelow(room));
    ways.emplace_back(threads, b.GetInsertBlock());
    b.CreateCondBr(b.isAny(b.mask), end, after);
    b.SetInsertPoint(end);
    emitCopy(rows->inRow, row);
    leave(threads);
  } else {
    emitEachRow(*rows, condition, body, counterOf, emitCopy, after);
  }
  b.mask = nullptr;
  versions = 0;
  b.SetInsertPoint(after);
  if (isAlong) {
    PHINode *done = b.CreatePHI(b.getInt64Ty(), unsigned(ways.size()), "done");
    for (const auto &[threads, from] : ways)
      done->addIncoming(threads, from);
    code.gridThread = b.CreateAdd(code.gridThread, done);
  }
  return true;
}
