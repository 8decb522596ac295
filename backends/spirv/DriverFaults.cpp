// Rewrites code that drivers compile wrongly. Random kernels found the cases of integers and of
// waits (docs/results/fuzz.md; tests/fuzz/found has their kernels), the conformance suite the
// others.
#include "backends/spirv/Marks.h"
#include "backends/spirv/Spirv.h"

#include "frontend/ir/transforms/Reals.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

using namespace llvm;
using namespace sextant;
namespace arith = mlir::arith;

static mlir::Value constant(mlir::OpBuilder &b, mlir::Location loc, mlir::Type type,
                            int64_t value) {
  return b.create<arith::ConstantOp>(loc, b.getIntegerAttr(type, value));
}

/// Returns x for `-x`, `x * -1` and `~x + 1`, which the driver treats alike, or null.
static mlir::Value negatedIn(mlir::Value value) {
  auto hasOperand = [](mlir::Operation *op, unsigned i, int64_t number) {
    APInt found;
    return mlir::matchPattern(op->getOperand(i), mlir::m_ConstantInt(&found)) &&
           found.getSExtValue() == number;
  };
  mlir::Operation *op = value.getDefiningOp();
  if (isa_and_present<arith::SubIOp>(op) && hasOperand(op, 0, 0))
    return op->getOperand(1);
  if (isa_and_present<arith::MulIOp>(op) && hasOperand(op, 1, -1))
    return op->getOperand(0);
  if (!isa_and_present<arith::AddIOp>(op) || !hasOperand(op, 1, 1))
    return {};
  auto inverted = op->getOperand(0).getDefiningOp<arith::XOrIOp>();
  return inverted && hasOperand(inverted, 1, -1) ? inverted.getLhs() : mlir::Value();
}

/// True if the driver may merge it with another minimum or maximum: a user, or the next round of a
/// loop.
static bool mayBeJoined(mlir::Operation *op) {
  return llvm::any_of(op->getUsers(), [](mlir::Operation *user) {
    return isa<arith::MinSIOp, arith::MaxSIOp, arith::SelectOp>(user) ||
           user->hasTrait<mlir::OpTrait::IsTerminator>();
  });
}

/// NVIDIA (580.159, Hopper): a signed minimum or maximum of three values is one instruction, which
/// cannot negate. The driver drops the negation of an operand of the inner one. The same happens to
/// `max(y, abs(z))`, as abs is `max(z, -z)`. Unsigned ones are right, so the sign bit is flipped
/// before and after.
static void compareUnsigned(mlir::Operation *op) {
  mlir::Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  if (!lhs.getType().isInteger(32) || (!negatedIn(lhs) && !negatedIn(rhs)))
    return;
  const bool isAbsolute = negatedIn(rhs) == lhs || negatedIn(lhs) == rhs;
  if (isAbsolute && !mayBeJoined(op))
    return;
  mlir::OpBuilder b(op);
  mlir::Value sign = constant(b, op->getLoc(), lhs.getType(), INT32_MIN);
  auto flipped = [&](mlir::Value value) -> mlir::Value {
    return b.create<arith::XOrIOp>(op->getLoc(), value, sign);
  };
  lhs = flipped(lhs);
  rhs = flipped(rhs);
  mlir::Value found;
  if (isa<arith::MinSIOp>(op))
    found = b.create<arith::MinUIOp>(op->getLoc(), lhs, rhs);
  else
    found = b.create<arith::MaxUIOp>(op->getLoc(), lhs, rhs);
  op->replaceAllUsesWith(mlir::ValueRange{flipped(found)});
  op->erase();
}

/// NVIDIA (580.159): `i64(x) << 31`, also as a product, is computed as x times 2^31 in a signed
/// register, where 2^31 is negative. So the two halves are computed separately.
static void splitShift(mlir::Operation *op) {
  APInt number;
  if (!op->getResult(0).getType().isInteger(64) ||
      !mlir::matchPattern(op->getOperand(1), mlir::m_ConstantInt(&number)) ||
      number != (isa<arith::ShLIOp>(op) ? 31 : uint64_t(1) << 31))
    return;
  auto extended = op->getOperand(0).getDefiningOp<arith::ExtSIOp>();
  if (!extended || !extended.getIn().getType().isInteger(32))
    return;
  mlir::OpBuilder b(op);
  mlir::Location loc = op->getLoc();
  mlir::Value narrow = extended.getIn();
  mlir::Type wide = extended.getType(), half = narrow.getType();
  mlir::Value high = b.create<arith::ShRSIOp>(loc, narrow, constant(b, loc, half, 1));
  mlir::Value low = b.create<arith::ShLIOp>(loc, narrow, constant(b, loc, half, 31));
  high = b.create<arith::ExtUIOp>(loc, wide, high);
  high = b.create<arith::ShLIOp>(loc, high, constant(b, loc, wide, 32));
  low = b.create<arith::ExtUIOp>(loc, wide, low);
  op->replaceAllUsesWith(b.create<arith::OrIOp>(loc, high, low));
  op->erase();
}

/// Mesa 22.3 (lavapipe on processors without AVX-512) has RoundEven and Trunc of f64 wrong: halves,
/// zeros with a sign, numbers near 2^52. A sum with 2^52 has no bits after the point and is
/// rounded to the even side.
static void roundBySum(mlir::Operation *op) {
  auto type = cast<mlir::FloatType>(op->getResult(0).getType());
  if (!type.isF64())
    return;
  mlir::OpBuilder b(op);
  simt::Reals r(b, op->getLoc(), type);
  mlir::Value x = op->getOperand(0), least = r.real(0x1p52), size = r.abs(x);
  mlir::Value rounded = r.sub(r.add(size, least), least);
  if (isa<mlir::math::TruncOp>(op))
    rounded = r.select(r.less(size, rounded), r.sub(rounded, r.real(1)), rounded);
  mlir::Value result = r.select(r.less(size, least), r.withSign(rounded, x), x); // NaN: x
  op->replaceAllUsesWith(mlir::ValueRange{result});
  op->erase();
}

/// NVIDIA: the driver removes a loop that only waits for a load from shared memory, even with
/// relaxed atomic loads, but not if the loop has a fence. Loops that count do not wait.
static void fenceWait(simt::LoadOp load) {
  if (load.getVolatile_() && load.getBuffer().getType().getSpace() == simt::Space::Shared &&
      load->getParentOfType<mlir::scf::WhileOp>())
    load->setAttr(spirv::marks::fenced, mlir::UnitAttr::get(load.getContext()));
}

void sextant::spirv::avoidDriverFaults(mlir::ModuleOp module) {
  SmallVector<mlir::Operation *> extremes, products, rounded;
  module.walk([&](mlir::Operation *op) {
    if (isa<arith::MinSIOp, arith::MaxSIOp>(op))
      extremes.push_back(op);
    else if (isa<arith::ShLIOp, arith::MulIOp>(op))
      products.push_back(op);
    else if (isa<mlir::math::RoundEvenOp, mlir::math::TruncOp>(op))
      rounded.push_back(op);
  });
  module.walk(fenceWait);
  llvm::for_each(extremes, compareUnsigned);
  llvm::for_each(products, splitShift);
  llvm::for_each(rounded, roundBySum);
}
