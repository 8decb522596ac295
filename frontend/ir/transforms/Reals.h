// Builds arithmetic on values of f32 or f64 and on their bits, for expansions of math
// functions. Every step is one operation that targets round correctly; none relies on
// products being fused with sums, or on their not being so.
#pragma once

#include "frontend/ir/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

#include <bit>
#include <cmath>

namespace sextant::simt {

/// An unevaluated sum: `low` holds what `high` lost.
struct Pair {
  mlir::Value high, low;
};

/// A number as significand * 2^(exponent - bias - fraction), where the significand has its
/// leading bit at the place of `fraction`, also of a subnormal number.
struct Number {
  mlir::Value significand, exponent;
};

/// The nearest whole number, ties to even.
struct Whole {
  mlir::Value real;
  mlir::Value bits; ///< has it, as two's complement, in its low half
};

class Reals {
public:
  using Value = mlir::Value;
  using Compare = mlir::arith::CmpFPredicate;
  using IntCompare = mlir::arith::CmpIPredicate;

  Reals(mlir::OpBuilder &b, mlir::Location loc, mlir::FloatType type, MathTarget target = {})
      : b(b), loc(loc), type(type), isDouble(type.isF64()), target(target),
        intType(b.getIntegerType(isDouble ? 64 : 32)) {}

  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::FloatType type;
  bool isDouble;
  MathTarget target;
  mlir::IntegerType intType; ///< the integer of the same width

  bool isFast() const { return target.isFast && !isDouble; }
  /// Explicit bits of the significand, and the exponent's bias.
  unsigned fraction() const { return isDouble ? 52 : 23; }
  unsigned bias() const { return isDouble ? 1023 : 127; }
  /// A constant that differs between the types.
  double pick(double single, double twice) const { return isDouble ? twice : single; }

  Value real(double value) {
    return b.create<mlir::arith::ConstantOp>(loc, b.getFloatAttr(type, value));
  }
  Value integer(int64_t value) {
    return b.create<mlir::arith::ConstantOp>(loc, b.getIntegerAttr(intType, value));
  }
  Value infinity() { return real(std::numeric_limits<double>::infinity()); }
  Value nan() { return real(std::numeric_limits<double>::quiet_NaN()); }

  template <class Op> Value op(Value x, Value y) { return b.create<Op>(loc, x, y); }
  Value add(Value x, Value y) { return op<mlir::arith::AddFOp>(x, y); }
  Value sub(Value x, Value y) { return op<mlir::arith::SubFOp>(x, y); }
  Value mul(Value x, Value y) { return op<mlir::arith::MulFOp>(x, y); }
  Value div(Value x, Value y) { return op<mlir::arith::DivFOp>(x, y); }
  Value neg(Value x) { return b.create<mlir::arith::NegFOp>(loc, x); }
  Value abs(Value x) { return b.create<mlir::math::AbsFOp>(loc, x); }
  Value round(Value x) { return b.create<mlir::math::RoundEvenOp>(loc, x); }
  Value floor(Value x) { return b.create<mlir::math::FloorOp>(loc, x); }
  Value trunc(Value x) { return b.create<mlir::math::TruncOp>(loc, x); }
  Value sqrt(Value x) { return b.create<mlir::math::SqrtOp>(loc, x); }

  Value addi(Value x, Value y) { return op<mlir::arith::AddIOp>(x, y); }
  Value subi(Value x, Value y) { return op<mlir::arith::SubIOp>(x, y); }
  Value muli(Value x, Value y) { return op<mlir::arith::MulIOp>(x, y); }
  Value andi(Value x, Value y) { return op<mlir::arith::AndIOp>(x, y); }
  Value ori(Value x, Value y) { return op<mlir::arith::OrIOp>(x, y); }
  Value xori(Value x, Value y) { return op<mlir::arith::XOrIOp>(x, y); }
  Value shl(Value x, Value y) { return op<mlir::arith::ShLIOp>(x, y); }
  Value shru(Value x, Value y) { return op<mlir::arith::ShRUIOp>(x, y); }
  Value shrs(Value x, Value y) { return op<mlir::arith::ShRSIOp>(x, y); }

  Value compare(Compare predicate, Value x, Value y) {
    return b.create<mlir::arith::CmpFOp>(loc, predicate, x, y);
  }
  Value less(Value x, Value y) { return compare(Compare::OLT, x, y); }
  Value equal(Value x, Value y) { return compare(Compare::OEQ, x, y); }
  Value isNan(Value x) { return compare(Compare::UNO, x, x); }
  Value compare(IntCompare predicate, Value x, Value y) {
    return b.create<mlir::arith::CmpIOp>(loc, predicate, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return b.create<mlir::arith::SelectOp>(loc, condition, x, y);
  }
  Value both(Value x, Value y) { return andi(x, y); }
  Value either(Value x, Value y) { return ori(x, y); }
  Value no(Value x) {
    Value truth = b.create<mlir::arith::ConstantOp>(loc, b.getBoolAttr(true));
    return xori(x, truth);
  }

  Value bits(Value x) { return b.create<mlir::arith::BitcastOp>(loc, intType, x); }
  /// Those of |x|, which no flushing of subnormal numbers changes.
  Value size(Value x) {
    // Devices may flush where they take an absolute value.
    while (auto abs = x.getDefiningOp<mlir::math::AbsFOp>())
      x = abs.getOperand();
    Value sign = integer(int64_t(1) << (fraction() + (isDouble ? 11 : 8)));
    return andi(bits(x), subi(sign, integer(1)));
  }
  Value fromBits(Value x) { return b.create<mlir::arith::BitcastOp>(loc, type, x); }
  Value toInteger(Value x) { return b.create<mlir::arith::FPToSIOp>(loc, intType, x); }
  // Integers of 32 bits for either type, such as exponents: x86-64 before AVX-512 converts no
  // vectors of 64 bits, and does not shift them with their sign.
  Value toWord(Value x) { return b.create<mlir::arith::FPToSIOp>(loc, b.getI32Type(), x); }
  Value word(int64_t value) { return createWord(b, loc, value); }
  /// Returns the word in the width of a number's bits.
  Value widened(Value word) {
    return isDouble ? b.create<mlir::arith::ExtSIOp>(loc, intType, word) : word;
  }
  /// The upper 32 bits.
  Value topWord(Value bits) {
    if (!isDouble)
      return bits;
    return b.create<mlir::arith::TruncIOp>(loc, b.getI32Type(), shru(bits, integer(32)));
  }
  Value toReal(Value x) { return b.create<mlir::arith::SIToFPOp>(loc, type, x); }
  Value unsignedToReal(Value x) { return b.create<mlir::arith::UIToFPOp>(loc, type, x); }
  /// `size`, which has no sign, with that of `from`.
  Value signedLike(Value size, Value from) {
    Value sign = integer(int64_t(1) << (fraction() + (isDouble ? 11 : 8)));
    return fromBits(ori(bits(size), andi(bits(from), sign)));
  }
  /// |x| with the sign of `from`.
  Value withSign(Value x, Value from) { return signedLike(abs(x), from); }

  /// `lowest` + x * (… + x * highest).
  Value polynomial(Value x, llvm::ArrayRef<double> coefficients) {
    Value sum = real(coefficients.back());
    for (double coefficient : llvm::reverse(coefficients.drop_back()))
      sum = add(mul(sum, x), real(coefficient));
    return sum;
  }
  /// Rounds a number of less than 2^(fraction - 2), by a sum whose last place is 1. `offset` is
  /// added to the bits.
  Whole nearest(Value x, int offset = 0) {
    Value last = real(std::ldexp(1.5, int(fraction())) + offset);
    Value sum = add(x, last);
    return {sub(sum, last), bits(sum)};
  }
  /// Returns the number with the sign changed where the integer is odd.
  Value negatedIfOdd(Value x, Value integer) {
    return fromBits(xori(bits(x), shl(integer, this->integer(isDouble ? 63 : 31))));
  }
  /// x * 2^exponent for exponents of up to twice the type's, words; rounded once.
  Value scaled(Value x, Value exponent) {
    Value half = shrs(exponent, word(1));
    auto power = [&](Value of) {
      return fromBits(shl(widened(addi(of, word(bias()))), integer(fraction())));
    };
    return mul(mul(x, power(half)), power(subi(exponent, half)));
  }

  /// `usual`, but `rare()` where the condition holds.
  llvm::SmallVector<Value> rarely(Value condition, llvm::ArrayRef<Value> usual,
                                  llvm::function_ref<llvm::SmallVector<Value>()> rare) {
    auto branch = b.create<mlir::scf::IfOp>(loc, mlir::ValueRange(usual).getTypes(), condition,
                                            /*addThenBlock=*/true, /*addElseBlock=*/true);
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    b.create<mlir::scf::YieldOp>(loc, rare());
    b.setInsertionPointToStart(branch.elseBlock());
    b.create<mlir::scf::YieldOp>(loc, usual);
    return llvm::SmallVector<Value>(branch.getResults());
  }
  /// Computes `all`, which takes every number. Where threads are lanes of vectors, it only does so
  /// where the condition holds for one of them: elsewhere `usual` is right, and shorter.
  Value unlessRare(llvm::function_ref<std::pair<Value, Value>()> conditionAndUsual,
                   llvm::function_ref<Value()> all) {
    if (!target.hasLanes)
      return all();
    auto [condition, usual] = conditionAndUsual();
    return rarely(condition, usual, [&] { return llvm::SmallVector<Value>{all()}; })[0];
  }
  /// Compares bits with the range from `low` to below `high`: slt is inside, sge outside. It takes
  /// one sum and one signed comparison, since vectors have no unsigned ones before AVX-512.
  Value compareRange(IntCompare predicate, Value bits, uint64_t low, uint64_t high) {
    const uint64_t sign = uint64_t(1) << (isDouble ? 63 : 31);
    Value shifted = addi(bits, integer(signedOf(sign - low)));
    return compare(predicate, shifted, integer(signedOf(sign + high - low)));
  }
  /// True of all but positive normal numbers.
  Value isNotNormal(Value x) {
    return compareRange(IntCompare::sge, bits(x), uint64_t(1) << fraction(), bitsOf(INFINITY));
  }
  /// True if |x| is at least `low`, and less than `high`.
  Value isBetween(Value x, double low, double high) {
    return compareRange(IntCompare::slt, size(x), bitsOf(low), bitsOf(high));
  }

  /// Returns the number whose bits without the sign are `size`.
  Number number(Value size) {
    Value one = integer(1);
    Value exponent = shru(size, integer(fraction()));
    Value leading = integer(int64_t(1) << fraction());
    Value rest = andi(size, subi(leading, one));
    Value isSmall = compare(IntCompare::eq, exponent, integer(0)); // subnormal
    Value zeros = b.create<mlir::math::CountLeadingZerosOp>(loc, rest);
    Value shift = subi(zeros, integer(isDouble ? 11 : 8));
    return {select(isSmall, shl(rest, shift), ori(rest, leading)),
            select(isSmall, subi(one, shift), exponent)};
  }

  /// x + y exactly, where |x| >= |y| or x is 0.
  Pair fastSum(Value x, Value y) {
    Value sum = add(x, y);
    return {sum, sub(y, sub(sum, x))};
  }
  /// x + y exactly.
  Pair sum(Value x, Value y) {
    Value sum = add(x, y);
    Value part = sub(sum, x);
    return {sum, add(sub(x, sub(sum, part)), sub(y, part))};
  }
  /// x * y exactly: by one fma, or by halves of the significands (Dekker).
  Pair product(Value x, Value y) {
    Value high = mul(x, y);
    if (target.hasFma)
      return {high, b.create<mlir::math::FmaOp>(loc, x, y, neg(high))};
    Pair xs = split(x), ys = split(y);
    Value low = sub(mul(xs.high, ys.high), high);
    low = add(add(low, mul(xs.high, ys.low)), mul(xs.low, ys.high));
    return {high, add(low, mul(xs.low, ys.low))};
  }

private:
  uint64_t bitsOf(double x) const {
    return isDouble ? std::bit_cast<uint64_t>(x) : std::bit_cast<uint32_t>(float(x));
  }
  /// The integer of the type's width that has these bits.
  int64_t signedOf(uint64_t bits) const { return isDouble ? int64_t(bits) : int32_t(bits); }
  Pair split(Value x) {
    Value scaled = mul(x, real(pick(4097.0, 134217729.0)));
    Value high = sub(scaled, sub(scaled, x));
    return {high, sub(x, high)};
  }
};

//===--- The functions, by file --------------------------------------------===//

/// ExpandTrig.cpp: math.sin, cos and tan.
mlir::Value expandTrig(Reals &r, llvm::StringRef name, mlir::Value x);
/// ExpandDivision.cpp: f32 division and square root, correctly rounded.
mlir::Value expandDivision(Reals &r, mlir::Value x, mlir::Value y);
mlir::Value expandSqrt(Reals &r, mlir::Value x);
/// 1 / sqrt(x), to within 2 units; by fast math, 4.
mlir::Value expandInverseRoot(Reals &r, mlir::Value x);
/// ExpandPowers.cpp: exponentials, logarithms, powers, hyperbolic functions.
mlir::Value expandExp(Reals &r, mlir::Value x);
mlir::Value expandExp2(Reals &r, mlir::Value x);
/// `base` 0 is e.
mlir::Value expandLog(Reals &r, mlir::Value x, int base);
mlir::Value expandPow(Reals &r, mlir::Value x, mlir::Value y);
mlir::Value expandHyperbolic(Reals &r, llvm::StringRef name, mlir::Value x);

} // namespace sextant::simt
