// Turns comparisons of a widened integer with a constant into comparisons of the integer itself. 32
// bits are cheaper than 64 everywhere, and llvmpipe (Mesa 22.3) narrows such comparisons wrongly:
// there, `x >= qd.i64(3)` holds for every i32 x. If a choice selects among several widened
// integers, the original is not known, and the halves are compared.
#include "backends/spirv/Spirv.h"

#include "frontend/ir/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

using namespace llvm;
using namespace sextant;
namespace arith = mlir::arith;
using arith::CmpIPredicate;

static bool isUnsigned(CmpIPredicate predicate) {
  return predicate == CmpIPredicate::ult || predicate == CmpIPredicate::ule ||
         predicate == CmpIPredicate::ugt || predicate == CmpIPredicate::uge;
}

static CmpIPredicate asUnsigned(CmpIPredicate predicate) {
  switch (predicate) {
  case CmpIPredicate::slt:
    return CmpIPredicate::ult;
  case CmpIPredicate::sle:
    return CmpIPredicate::ule;
  case CmpIPredicate::sgt:
    return CmpIPredicate::ugt;
  case CmpIPredicate::sge:
    return CmpIPredicate::uge;
  default:
    return predicate;
  }
}

/// The comparison's result for every number below, or above, the constant.
static bool holdsWhere(CmpIPredicate predicate, bool isBelow) {
  switch (predicate) {
  case CmpIPredicate::ne:
    return true;
  case CmpIPredicate::slt:
  case CmpIPredicate::sle:
  case CmpIPredicate::ult:
  case CmpIPredicate::ule:
    return isBelow;
  case CmpIPredicate::sgt:
  case CmpIPredicate::sge:
  case CmpIPredicate::ugt:
  case CmpIPredicate::uge:
    return !isBelow;
  default:
    return false;
  }
}

/// True if a driver may recognise the 64-bit value as a widened one: a choice of such values, also
/// a minimum or maximum.
static bool mayBeWidened(mlir::Value value, unsigned depth = 0) {
  if (value.getDefiningOp<arith::ExtSIOp>() || value.getDefiningOp<arith::ExtUIOp>())
    return true;
  if (depth == 4)
    return false;
  if (auto select = value.getDefiningOp<arith::SelectOp>())
    return mayBeWidened(select.getTrueValue(), depth + 1) ||
           mayBeWidened(select.getFalseValue(), depth + 1);
  if (mlir::Operation *op = value.getDefiningOp();
      isa_and_present<arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp>(op))
    return mayBeWidened(op->getOperand(0), depth + 1) || mayBeWidened(op->getOperand(1), depth + 1);
  auto branch = value.getDefiningOp<mlir::scf::IfOp>();
  if (!branch)
    return false;
  unsigned result = cast<mlir::OpResult>(value).getResultNumber();
  return mayBeWidened(branch.thenYield().getOperand(result), depth + 1) ||
         mayBeWidened(branch.elseYield().getOperand(result), depth + 1);
}

/// Compares a 64-bit value by one of its halves, in order.
static void compareHalves(arith::CmpIOp op, const APInt &number) {
  mlir::OpBuilder b(op);
  mlir::Location loc = op.getLoc();
  mlir::Type half = b.getIntegerType(32);
  auto constant = [&](mlir::Type type, const APInt &value) -> mlir::Value {
    return b.create<arith::ConstantOp>(loc, b.getIntegerAttr(type, value));
  };
  mlir::Value wide = op.getLhs();
  mlir::Value low = b.create<arith::TruncIOp>(loc, half, wide);
  mlir::Value high = b.create<arith::TruncIOp>(
      loc, half, b.create<arith::ShRUIOp>(loc, wide, constant(wide.getType(), APInt(64, 32))));
  mlir::Value mostHigh = constant(half, number.lshr(32).trunc(32)),
              mostLow = constant(half, number.trunc(32));
  auto compare = [&](CmpIPredicate predicate, mlir::Value lhs, mlir::Value rhs) -> mlir::Value {
    return b.create<arith::CmpIOp>(loc, predicate, lhs, rhs);
  };
  mlir::Value result =
      b.create<arith::SelectOp>(loc, compare(CmpIPredicate::eq, high, mostHigh),
                                compare(asUnsigned(op.getPredicate()), low, mostLow),
                                compare(op.getPredicate(), high, mostHigh));
  op.replaceAllUsesWith(result);
  op.erase();
}

/// Returns true if the op was such a comparison.
static bool narrow(arith::CmpIOp op) {
  // The canonical form has the constant on the right.
  APInt number;
  if (!matchPattern(op.getRhs(), mlir::m_ConstantInt(&number)))
    return false;
  mlir::Value wide = op.getLhs();
  if (wide.getType().isInteger(64) && op.getPredicate() != CmpIPredicate::eq &&
      op.getPredicate() != CmpIPredicate::ne && !wide.getDefiningOp<arith::ExtSIOp>() &&
      !wide.getDefiningOp<arith::ExtUIOp>() && mayBeWidened(wide)) {
    compareHalves(op, number);
    return true;
  }
  CmpIPredicate predicate = op.getPredicate();
  auto extended = wide.getDefiningOp<arith::ExtSIOp>();
  auto filled = wide.getDefiningOp<arith::ExtUIOp>();
  if ((!extended && !filled) || (extended && isUnsigned(predicate)))
    return false;
  mlir::Value from = extended ? extended.getIn() : filled.getIn();
  unsigned width = from.getType().getIntOrFloatBitWidth();
  if (width == 1)
    return false;
  mlir::OpBuilder b(op);
  auto constant = [&](const APInt &value) -> mlir::Value {
    mlir::Type type = mlir::IntegerType::get(op.getContext(), value.getBitWidth());
    return b.create<arith::ConstantOp>(op.getLoc(), b.getIntegerAttr(type, value));
  };
  mlir::Value result;
  if (extended ? number.isSignedIntN(width) : number.isIntN(width)) {
    CmpIPredicate own = extended ? predicate : asUnsigned(predicate);
    result = b.create<arith::CmpIOp>(op.getLoc(), own, from, constant(number.trunc(width)));
  } else {
    // A widened unsigned number is below every constant that it cannot reach, except a negative
    // one.
    bool isBelow = isUnsigned(predicate) || !number.isNegative();
    result = constant(APInt(1, holdsWhere(predicate, isBelow)));
  }
  op.replaceAllUsesWith(result);
  op.erase();
  return true;
}

mlir::LogicalResult sextant::spirv::narrowComparisons(mlir::ModuleOp module) {
  bool any = false;
  module.walk([&](arith::CmpIOp op) { any |= narrow(op); });
  return any ? simt::simplify(module) : mlir::success();
}
