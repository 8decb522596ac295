// Loops over several axes. An iteration's number is divided by the extent of the last axis, so each
// lane has indices of its own, although most chunks lie within one row. The guard of the task's
// tail becomes a choice of copies: in one, the chunk is in one row, and no lane's index is clamped
// at a border. Then the quotient is a scalar, the last index is affine, and accesses are of
// consecutive elements. Other chunks take a masked copy once for each row; where a chunk has many
// rows, lanes keep quotients of their own.
//
// If the loop is all that the task does, chunks follow one another along rows (AlongRows.cpp).
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
/// Code of more operations has two copies. In these, every chunk is taken apart into rows.
static constexpr unsigned mostOpsOfSmall = 300;

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

mlir::Value LaneEmitter::Rows::boundOf(mlir::Operation *clamp) const {
  return otherOperand(clamp, inside.lookup(clamp->getResult(0)));
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
          return otherOperand(product, quotient);
  return nullptr;
}

/// True if `value` does not change within a row: it comes of the counter by nothing but the
/// quotient.
static bool isOfRow(mlir::Value value, mlir::Value counter, mlir::Value quotient) {
  if (value == quotient || value.getParentBlock() != quotient.getParentBlock())
    return value != counter;
  mlir::Operation *op = value.getDefiningOp();
  return op && llvm::all_of(op->getOperands(), [&](mlir::Value operand) {
           return isOfRow(operand, counter, quotient);
         });
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
  rows.isSmall = ops <= mostOpsOfSmall;
  rows.hasManyRows &= rows.isSmall;
  rows.inRow[rows.quotient] = nullptr;
  rows.inside = rows.inRow;
  // A clamp may be of what another one leaves.
  for (bool isNew = true; isNew;) {
    isNew = false;
    ShapeAnalysis known(code.task, lanes, rows.inside);
    for (mlir::Operation &inner : block) {
      mlir::Value operand = clampedOperand(inner, known);
      if (!operand || rows.clamps.size() >= 16 || !isOfCounter(inner.getResult(0)) ||
          !isOfRow(otherOperand(&inner, operand), rows.counter, rows.quotient))
        continue;
      isNew |= rows.inside.try_emplace(inner.getResult(0), operand).second;
      if (!llvm::is_contained(rows.clamps, &inner))
        rows.clamps.push_back(&inner);
    }
  }
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
  if (mlir::Value same = at.assumed.lookup(value))
    return evaluate(same, at);
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

/// Runs a chunk of a few rows by a masked copy once for each, and goes to `after`.
void LaneEmitter::emitEachRow(const Rows &rows, Value *condition, mlir::Block &body,
                              function_ref<Value *(Value *)> counterOf, BasicBlock *after) {
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
  emitRowCopy(body, rows.inRow, quotient);
  rest->addIncoming(others, b.GetInsertBlock());
  b.CreateCondBr(b.isAny(others), loop, after);
}

/// Emits the guarded block for chunks of which `assumptions` hold, in the row of that number.
void LaneEmitter::emitRowCopy(mlir::Block &body, const Assumptions &assumptions, Value *row) {
  ShapeAnalysis outer = std::exchange(values.shapes, ShapeAnalysis(code.task, lanes, assumptions));
  assumed = assumptions;
  assumedQuotient = row;
  emitOps(body);
  assumed.clear();
  values.shapes = std::move(outer);
}

bool LaneEmitter::emitRows(scf::IfOp op, Value *all) {
  std::optional<Rows> rows = findRows(op);
  if (!rows)
    return false;
  versions = mostVersions;
  if (code.gridThread)
    emitAlongRow(op, *rows);
  else
    emitChunkOfRows(op, *rows, all);
  versions = 0;
  return true;
}

void LaneEmitter::emitChunkOfRows(scf::IfOp op, const Rows &rows, Value *all) {
  mlir::Block &body = op.getThenRegion().front();
  Value *base = values.scalar(rows.counter);
  const int64_t stride = values.shapeOf(rows.counter).stride;
  auto counterOf = [&](Value *lane) {
    Value *steps = b.CreateZExtOrTrunc(lane, base->getType());
    return b.CreateAdd(base, b.CreateMul(steps, ConstantInt::get(base->getType(), stride)));
  };
  Elsewhere first{body, {{rows.counter, base}}};
  Elsewhere last{body, {{rows.counter, counterOf(b.getInt32(lanes.width - 1))}}};
  Value *row = evaluate(rows.quotient, first), *lastRow = evaluate(rows.quotient, last);
  Value *isInRow = b.CreateAnd(all, b.CreateICmpEQ(row, lastRow)), *isInside = isInRow;
  for (mlir::Operation *clamp : rows.clamps) {
    mlir::Value operand = rows.inside.lookup(clamp->getResult(0));
    const bool isLower = isa<arith::MaxSIOp>(clamp);
    Value *least = evaluate(operand, first), *greatest = evaluate(operand, last);
    Value *limit = evaluate(rows.boundOf(clamp), first);
    isInside = b.CreateAnd(isInside, b.CreateICmpSLE(least, greatest)); // it does not wrap
    isInside = b.CreateAnd(isInside, isLower ? b.CreateICmpSGE(least, limit)
                                             : b.CreateICmpSLE(greatest, limit));
  }

  BasicBlock *inside = b.newBlock("inside"), *other = b.newBlock("border"),
             *part = b.newBlock("part"), *after = b.newBlock("guard.end");
  b.CreateCondBr(isInside, inside, other);
  b.SetInsertPoint(inside);
  emitRowCopy(body, rows.inside, row);
  b.CreateBr(after);
  b.SetInsertPoint(other);
  if (rows.clampsWhole()) {
    BasicBlock *whole = b.newBlock("whole"), *across = b.newBlock("across");
    b.CreateCondBr(isInRow, whole, across);
    b.SetInsertPoint(whole);
    emitRowCopy(body, rows.inRow, row);
    b.CreateBr(after);
    b.SetInsertPoint(across);
  }
  Value *condition = values.vector(op.getCondition());
  b.CreateCondBr(b.isAny(condition), part, after);
  b.SetInsertPoint(part);
  if (rows.hasManyRows)
    emitManyRows(body, b.CreateSub(lastRow, row), condition, after);
  emitEachRow(rows, condition, body, counterOf, after);
  b.mask = nullptr;
  b.SetInsertPoint(after);
}

/// Where a chunk has many rows, runs it by lanes with quotients of their own, and goes to `after`.
void LaneEmitter::emitManyRows(mlir::Block &body, Value *others, Value *condition,
                               BasicBlock *after) {
  BasicBlock *few = b.newBlock("rows"), *many = b.newBlock("many"), *any = b.newBlock("any");
  b.CreateCondBr(b.CreateICmpULT(others, ConstantInt::get(others->getType(), mostRows)), few, many);
  b.SetInsertPoint(many);
  b.CreateCondBr(b.isAny(condition), any, after);
  b.SetInsertPoint(any);
  b.mask = condition;
  emitOps(body);
  b.mask = nullptr;
  b.CreateBr(after);
  b.SetInsertPoint(few);
}
