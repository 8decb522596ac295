// Conversions of reals that have one result on all targets: to integers, saturated, and from f64 to
// f16, rounded once.
#include "frontend/ir/transforms/Bounds.h"
#include "frontend/ir/transforms/Passes.h"
#include "frontend/ir/transforms/Reals.h"

#include <cmath>

using namespace mlir;
using namespace sextant::simt;

namespace {

/// The ends of an integer type as reals: the least number, and the first number past the largest.
struct Ends {
  double low, past;
};

Ends endsOf(unsigned width, bool isUnsigned) {
  return {isUnsigned ? 0 : -std::ldexp(1.0, int(width) - 1),
          std::ldexp(1.0, int(isUnsigned ? width : width - 1))};
}

} // namespace

//===--- To integers -------------------------------------------------------===//

/// arith's conversion. It has no narrow results.
static Value convert(OpBuilder &b, Location loc, Value x, IntegerType type, bool isUnsigned) {
  if (type.getWidth() < 32)
    return b.create<arith::TruncIOp>(loc, type, b.create<arith::FPToSIOp>(loc, b.getI32Type(), x));
  return isUnsigned ? b.create<arith::FPToUIOp>(loc, type, x).getResult()
                    : b.create<arith::FPToSIOp>(loc, type, x).getResult();
}

static Value integer(OpBuilder &b, Location loc, IntegerType type, const APInt &value) {
  return b.create<arith::ConstantOp>(loc, b.getIntegerAttr(type, value));
}

/// To a narrow integer by way of a word.
static Value clampWord(OpBuilder &b, ToIntOp op) {
  const Location loc = op.getLoc();
  auto type = cast<IntegerType>(op.getType());
  const unsigned width = type.getWidth();
  IntegerType wordType = b.getI32Type();
  Value word = b.create<ToIntOp>(loc, wordType, op.getValue(), op.getIsUnsigned());
  auto limit = [&](const APInt &value) { return integer(b, loc, wordType, value); };
  if (op.getIsUnsigned()) {
    word = b.create<arith::MinUIOp>(loc, word, limit(APInt::getMaxValue(width).zext(32)));
  } else {
    word = b.create<arith::MaxSIOp>(loc, word, limit(APInt::getSignedMinValue(width).sext(32)));
    word = b.create<arith::MinSIOp>(loc, word, limit(APInt::getSignedMaxValue(width).sext(32)));
  }
  return b.create<arith::TruncIOp>(loc, type, word);
}

/// Brings the number into range first. The largest integer of a wide type is not a number of the
/// real type: it is chosen afterwards.
static Value clampReal(OpBuilder &b, ToIntOp op, const Bounds &known, bool isTotal) {
  using Compare = Reals::Compare;
  auto type = cast<IntegerType>(op.getType());
  const bool isUnsigned = op.getIsUnsigned();
  const Ends ends = endsOf(type.getWidth(), isUnsigned);
  Reals r(b, op.getLoc(), cast<FloatType>(op.getValue().getType()));
  Value x = op.getValue();
  if (known.mayBeNan && !isUnsigned)
    x = r.select(r.isNan(x), r.real(0), x);
  // The comparison fails for NaN, so an unsigned integer's 0 comes out.
  if ((known.mayBeNan && isUnsigned) || known.low < ends.low) {
    Value low = r.real(ends.low);
    x = r.select(r.compare(Compare::OGT, x, low), x, low);
  }
  if (known.high < ends.past)
    return convert(b, r.loc, x, type, isUnsigned);
  if (type.getWidth() <= r.fraction() + 1) {
    Value high = r.real(ends.past - 1);
    x = r.select(r.compare(Compare::OLT, x, high), x, high);
    return convert(b, r.loc, x, type, isUnsigned);
  }
  Value isPast = r.compare(Compare::OGE, x, r.real(ends.past));
  if (!isTotal)
    x = r.select(isPast, r.real(0), x);
  const unsigned width = type.getWidth();
  Value largest = integer(b, r.loc, type,
                          isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width));
  return r.select(isPast, largest, convert(b, r.loc, x, type, isUnsigned));
}

static void expandToInt(ToIntOp op, const ConversionSupport &support) {
  OpBuilder b(op);
  auto type = cast<IntegerType>(op.getType());
  const Bounds known = boundsOf(op.getValue());
  const Ends ends = endsOf(type.getWidth(), op.getIsUnsigned());
  // -0.9 is 0.
  const bool isInRange = !known.mayBeNan && known.high < ends.past &&
                         (op.getIsUnsigned() ? known.low > -1 : known.low >= ends.low);
  auto isNative = [&](unsigned width) { return llvm::is_contained(support.toInt, width); };
  Value result;
  if (isInRange)
    result = convert(b, op.getLoc(), op.getValue(), type, op.getIsUnsigned());
  else if (isNative(type.getWidth()))
    return;
  else if (type.getWidth() < 32 && isNative(32))
    result = clampWord(b, op);
  else
    result = clampReal(b, op, known, support.isTotal);
  op.replaceAllUsesWith(result);
  op.erase();
}

//===--- From f64 to f16 ---------------------------------------------------===//

/// Goes through f32, rounded to odd: the f32 towards zero, whose last bit is set where something
/// was left over. The second rounding then sees on which side of a half the number lies.
static void expandDoubleToHalf(arith::TruncFOp op) {
  OpBuilder b(op);
  Reals r(b, op.getLoc(), b.getF32Type());
  Reals wide(b, op.getLoc(), b.getF64Type());
  Value exact = op.getIn();
  Value nearest = b.create<arith::TruncFOp>(r.loc, r.type, exact);
  Value back = b.create<arith::ExtFOp>(r.loc, wide.type, nearest);
  Value bits = r.bits(nearest), one = r.integer(1);
  Value isTooFar = wide.less(wide.abs(exact), wide.abs(back));
  Value towards = r.subi(bits, r.select(isTooFar, one, r.integer(0)));
  Value isInexact = wide.compare(Reals::Compare::ONE, back, exact); // not of NaN
  Value odd = r.select(isInexact, r.ori(towards, one), bits);
  op.replaceAllUsesWith(
      b.create<arith::TruncFOp>(r.loc, op.getType(), r.fromBits(odd)).getResult());
  op.erase();
}

//===--- All ---------------------------------------------------------------===//

void sextant::simt::expandConversions(ModuleOp module, const ConversionSupport &support) {
  module.walk([&](Operation *op) {
    if (auto toInt = dyn_cast<ToIntOp>(op))
      return expandToInt(toInt, support);
    auto narrow = dyn_cast<arith::TruncFOp>(op);
    if (narrow && narrow.getType().isF16() && narrow.getIn().getType().isF64() &&
        !support.doubleToHalf)
      expandDoubleToHalf(narrow);
  });
}
