// Inverse square roots. Correctly rounded division and square root of f32, for targets whose own
// are a few units off: those give an estimate of the result's leading bits, as an integer; the
// exact remainder, small enough for 32 bits that wrap, corrects it and decides the rounding.
//
// If operands and result are normal numbers, 24 bits and the nearest remainder suffice: no quotient
// and no root lies in the middle between two numbers. Other operands, which are rare, take 25 bits
// and twice the time.
#include "frontend/ir/transforms/Reals.h"

using namespace mlir;
using namespace sextant::simt;

/// The significand and the exponent of a normal number.
static Number normal(Reals &r, Value bits) {
  Value leading = r.integer(1 << r.fraction());
  Value rest = r.andi(bits, r.subi(leading, r.integer(1)));
  Value exponent = r.andi(r.shru(bits, r.integer(r.fraction())), r.integer(255));
  return {r.ori(rest, leading), exponent};
}

/// True if the exponent is not that of a normal number.
static Value isOutside(Reals &r, Value exponent) {
  return r.compare(Reals::IntCompare::uge, r.subi(exponent, r.integer(1)), r.integer(254));
}

/// The integer nearest to a real of a few units.
static Value nearest(Reals &r, Value real) {
  return r.toInteger(r.floor(r.add(real, r.real(0.5))));
}

/// `number` and one more where the remainder is above `most`, or one less where it is below
/// `least`.
static Value corrected(Reals &r, Value number, Value rest, Value most, Value least) {
  Value one = r.integer(1), zero = r.integer(0);
  Value isAbove = r.compare(Reals::IntCompare::sgt, rest, most);
  Value isBelow = r.compare(Reals::IntCompare::slt, rest, least);
  return r.subi(r.addi(number, r.select(isAbove, one, zero)), r.select(isBelow, one, zero));
}

/// The number of a significand with its leading bit, which counts for one in the exponent.
static Value assemble(Reals &r, Value significand, Value exponent) {
  Value base = r.subi(exponent, r.integer(1));
  return r.addi(significand, r.shl(base, r.integer(r.fraction())));
}

/// The quotient, and whether an operand or the quotient is not a normal number.
static std::pair<Value, Value> divideNormal(Reals &r, Value x, Value y) {
  Number above = normal(r, r.bits(x)), below = normal(r, r.bits(y));
  Value isLess = r.compare(Reals::IntCompare::ult, above.significand, below.significand);
  Value exponent = r.addi(r.subi(above.exponent, below.exponent),
                          r.select(isLess, r.integer(r.bias() - 1), r.integer(r.bias())));
  Value isRare = r.either(r.either(isOutside(r, above.exponent), isOutside(r, below.exponent)),
                          isOutside(r, exponent));

  Value divisor = below.significand;
  Value inverse = r.div(r.real(1), r.unsignedToReal(divisor));
  Value estimate = r.mul(r.unsignedToReal(above.significand), inverse);
  estimate = r.mul(estimate, r.select(isLess, r.real(0x1p24), r.real(0x1p23)));
  Value quotient = r.toInteger(estimate);
  Value shift = r.select(isLess, r.integer(24), r.integer(23));
  Value rest = r.subi(r.shl(above.significand, shift), r.muli(quotient, divisor));
  Value off = nearest(r, r.mul(r.toReal(rest), inverse));
  quotient = r.addi(quotient, off);
  Value twice = r.shl(r.subi(rest, r.muli(off, divisor)), r.integer(1));
  quotient = corrected(r, quotient, twice, divisor, r.subi(r.integer(0), divisor));

  Value sign = r.andi(r.xori(r.bits(x), r.bits(y)), r.integer(0x80000000));
  return {isRare, r.fromBits(r.ori(assemble(r, quotient, exponent), sign))};
}

static Value divideAny(Reals &r, Value x, Value y) {
  Value one = r.integer(1), zero = r.integer(0), infinite = r.integer(0x7f800000);
  Value sign = r.andi(r.xori(r.bits(x), r.bits(y)), r.integer(0x80000000));
  Value xSize = r.size(x), ySize = r.size(y);
  Number above = r.number(xSize), below = r.number(ySize);

  // The significands' quotient with 25 bits, the last of them for rounding.
  Value isLess = r.compare(Reals::IntCompare::ult, above.significand, below.significand);
  Value shift = r.select(isLess, r.integer(25), r.integer(24));
  Value divisor = below.significand;
  Value inverse = r.div(r.real(1), r.unsignedToReal(divisor));
  Value estimate = r.mul(r.unsignedToReal(above.significand), inverse);
  estimate = r.mul(estimate, r.select(isLess, r.real(0x1p25), r.real(0x1p24)));
  Value quotient = r.toInteger(estimate);
  Value rest = r.subi(r.shl(above.significand, shift), r.muli(quotient, divisor));
  Value off = r.toInteger(r.floor(r.mul(r.toReal(rest), inverse)));
  quotient = r.addi(quotient, off);
  rest = r.subi(rest, r.muli(off, divisor));
  Value isOver = r.compare(Reals::IntCompare::slt, rest, zero);
  quotient = r.subi(quotient, r.select(isOver, one, zero));
  rest = r.addi(rest, r.select(isOver, divisor, zero));
  Value isUnder = r.compare(Reals::IntCompare::sge, rest, divisor);
  quotient = r.addi(quotient, r.select(isUnder, one, zero));
  rest = r.subi(rest, r.select(isUnder, divisor, zero));

  // Rounding to even; a subnormal result keeps fewer bits.
  Value exponent = r.addi(r.subi(above.exponent, below.exponent), r.integer(r.bias()));
  exponent = r.subi(exponent, r.select(isLess, one, zero));
  Value dropped = r.op<arith::MaxSIOp>(one, r.subi(r.integer(2), exponent));
  dropped = r.op<arith::MinSIOp>(dropped, r.integer(27));
  Value kept = r.shru(quotient, dropped);
  Value tail = r.subi(quotient, r.shl(kept, dropped));
  Value half = r.shl(one, r.subi(dropped, one));
  Value isOdd = r.compare(Reals::IntCompare::ne, r.andi(kept, one), zero);
  Value isInexact = r.compare(Reals::IntCompare::ne, rest, zero);
  Value isHalf = r.compare(Reals::IntCompare::eq, tail, half);
  Value goesUp = r.either(r.compare(Reals::IntCompare::ugt, tail, half),
                          r.both(isHalf, r.either(isInexact, isOdd)));
  kept = r.addi(kept, r.select(goesUp, one, zero));
  // The leading bit counts for one in the exponent, where there is one.
  Value base = r.op<arith::MaxSIOp>(r.subi(exponent, one), zero);
  Value bits = r.addi(kept, r.shl(base, r.integer(r.fraction())));

  bits = r.select(r.compare(Reals::IntCompare::sge, exponent, r.integer(255)), infinite, bits);
  auto is = [&](Value size, Value what) { return r.compare(Reals::IntCompare::eq, size, what); };
  Value xZero = is(xSize, zero), yZero = is(ySize, zero);
  Value xInfinite = is(xSize, infinite), yInfinite = is(ySize, infinite);
  bits = r.select(r.either(xZero, yInfinite), zero, bits);
  bits = r.select(r.either(xInfinite, yZero), infinite, bits);
  Value isNone = r.either(r.both(xZero, yZero), r.both(xInfinite, yInfinite));
  isNone = r.either(isNone, r.either(r.isNan(x), r.isNan(y)));
  return r.select(isNone, r.nan(), r.fromBits(r.ori(bits, sign)));
}

Value sextant::simt::expandDivision(Reals &r, Value x, Value y) {
  auto [isRare, usual] = divideNormal(r, x, y);
  return r.rarely(isRare, usual, [&] { return llvm::SmallVector<Value>{divideAny(r, x, y)}; })[0];
}

/// The root of a positive normal number.
static Value rootOfNormal(Reals &r, Value x) {
  Number number = normal(r, r.bits(x));
  Value isOdd =
      r.compare(Reals::IntCompare::ne, r.andi(number.exponent, r.integer(1)), r.integer(0));
  Value scaled = r.mul(r.unsignedToReal(number.significand), r.select(isOdd, r.real(1), r.real(2)));
  Value inverse = r.b.create<math::RsqrtOp>(r.loc, scaled);
  constexpr double scale = 2896.3093757400989; // 2^11.5
  Value root = r.toInteger(r.mul(r.mul(scaled, inverse), r.real(scale)));
  Value square = r.shl(number.significand, r.select(isOdd, r.integer(23), r.integer(24)));
  Value rest = r.subi(square, r.muli(root, root));
  Value off = nearest(r, r.mul(r.toReal(rest), r.mul(inverse, r.real(0.5 / scale))));
  rest = r.subi(rest, r.muli(off, r.addi(r.addi(root, root), off)));
  root = r.addi(root, off);
  // Half a unit more, squared, is the remainder `root` and a quarter.
  root = corrected(r, root, rest, root, r.subi(r.integer(1), root));
  Value exponent = r.shru(r.addi(number.exponent, r.integer(r.bias())), r.integer(1));
  return r.fromBits(assemble(r, root, exponent));
}

static Value rootOfAny(Reals &r, Value x) {
  Value one = r.integer(1), zero = r.integer(0);
  Value size = r.size(x);
  Number number = r.number(size);
  // x = (significand << shift) * 2^(2n), and the root of the former has 25 bits, the last
  // of them for rounding: it is never followed by only zeros.
  Value isOdd = r.compare(Reals::IntCompare::ne, r.andi(number.exponent, one), zero);
  Value shift = r.select(isOdd, r.integer(25), r.integer(26));
  Value scaled = r.mul(r.unsignedToReal(number.significand), r.select(isOdd, r.real(1), r.real(2)));
  Value root = r.toInteger(r.mul(r.sqrt(scaled), r.real(5792.61875))); // 2^12.5
  Value rest = r.subi(r.shl(number.significand, shift), r.muli(root, root));
  Value off = r.toInteger(r.floor(r.div(r.toReal(rest), r.toReal(r.addi(root, root)))));
  rest = r.subi(rest, r.muli(off, r.addi(r.addi(root, root), off)));
  root = r.addi(root, off);
  // The remainder is between 0 and twice the root.
  Value isOver = r.compare(Reals::IntCompare::slt, rest, zero);
  rest = r.addi(rest, r.select(isOver, r.subi(r.addi(root, root), one), zero));
  root = r.subi(root, r.select(isOver, one, zero));
  Value isUnder = r.compare(Reals::IntCompare::sgt, rest, r.addi(root, root));
  root = r.addi(root, r.select(isUnder, one, zero));

  Value kept = r.shru(r.addi(root, one), one);
  Value exponent = r.subi(r.subi(number.exponent, r.integer(r.bias() + r.fraction())), shift);
  exponent = r.addi(r.shrs(exponent, one), r.integer(r.bias() + r.fraction() + 1));
  Value bits = r.addi(kept, r.shl(r.subi(exponent, one), r.integer(r.fraction())));
  Value result = r.fromBits(bits);
  // Zeros, infinity and NaN are their own roots. By their bits: devices may take subnormal
  // numbers for zero.
  Value infinite = r.integer(0x7f800000);
  Value isZero = r.compare(Reals::IntCompare::eq, size, zero);
  Value isOwn = r.either(isZero, r.compare(Reals::IntCompare::uge, size, infinite));
  Value isNegative =
      r.both(r.compare(Reals::IntCompare::slt, r.bits(x), zero),
             r.both(r.no(isZero), r.compare(Reals::IntCompare::ule, size, infinite)));
  return r.select(isNegative, r.nan(), r.select(isOwn, x, result));
}

Value sextant::simt::expandSqrt(Reals &r, Value x) {
  return r.rarely(r.isNotNormal(x), rootOfNormal(r, x),
                  [&] { return llvm::SmallVector<Value>{rootOfAny(r, x)}; })[0];
}

/// A first value by the bits, off by 3.5 percent (Lomont, "Fast inverse square root", 2003), then a
/// polynomial of what x * y^2 lacks of 1: off by 2^-25. f64 repeats that with two terms.
static Value inverseRootOfNormal(Reals &r, Value x) {
  Value first = r.integer(r.isDouble ? 0x5fe6eb50c7b537a9 : 0x5f3759df);
  Value y = r.fromBits(r.subi(first, r.shru(r.bits(x), r.integer(1))));
  auto improve = [&](llvm::ArrayRef<double> coefficients) {
    Value lack = r.sub(r.real(1), r.mul(r.mul(x, y), y));
    y = r.add(y, r.mul(y, r.mul(lack, r.polynomial(lack, coefficients))));
  };
  improve({0.49999833, 0.37500128, 0.31394464, 0.2737876});
  if (r.isDouble)
    improve({0.5, 0.375});
  return y;
}

/// One step of Newton's, to within 4 units. Of 0 and infinity, the estimate is the result; there
/// the lack is NaN, of which the select makes a number.
static Value inverseRootFromEstimate(Reals &r, Value x) {
  Value y = r.b.create<math::RsqrtOp>(r.loc, x), most = r.real(0.001);
  Value lack = r.sub(r.real(1), r.mul(r.mul(x, y), y));
  lack = r.select(r.less(lack, most), lack, most);
  return r.add(y, r.mul(r.mul(y, r.real(0.5)), lack));
}

// Square roots and divisions are the slowest instructions that vectors have; a dozen products and
// sums take less time if these are fused. Eight lanes of f32 are the exception: there a root and a
// division are as fast as the products, and the arithmetic around them runs beside them.
Value sextant::simt::expandInverseRoot(Reals &r, Value x) {
  auto plain = [&] { return r.div(r.real(1), r.sqrt(x)); };
  if (r.isFast() && r.target.estimatesRoots)
    return inverseRootFromEstimate(r, x);
  if (!r.target.hasFma || (r.target.hasFastRoots && !r.isDouble))
    return plain();
  return r.unlessRare([&] { return std::pair(r.isNotNormal(x), inverseRootOfNormal(r, x)); },
                      plain);
}
