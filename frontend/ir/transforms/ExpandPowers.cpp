// Exponentials, logarithms and powers as arithmetic. The polynomials are Chebyshev fits
// on the reduced ranges, good to a quarter of the last place or better.
#include "frontend/ir/transforms/Reals.h"

using namespace mlir;
using namespace sextant::simt;

//===--- Exponentials ------------------------------------------------------===//

/// (e^x - 1 - x) / x^2 for |x| <= ln(2) / 2.
static Value expTail(Reals &r, Value x) {
  static constexpr double single[] = {0.5,           0.166666672,   0.0416664667,
                                      0.00833331048, 0.00139336498, 0.000198909911};
  static constexpr double twice[] = {0.5,
                                     0.1666666666666667,
                                     0.04166666666666667,
                                     0.008333333333326136,
                                     0.0013888888888883878,
                                     0.00019841269874820627,
                                     2.4801587325301673e-05,
                                     2.7557255400206422e-06,
                                     2.755727384793274e-07,
                                     2.5105217004720745e-08,
                                     2.091462497160074e-09};
  return r.isDouble ? r.polynomial(x, twice) : r.polynomial(x, single);
}

static Value clamped(Reals &r, Value x, double low, double high) {
  Value atMost = r.select(r.less(r.real(high), x), r.real(high), x);
  return r.select(r.less(atMost, r.real(low)), r.real(low), atMost);
}

/// e^(x + low) * 2^exponent, where `low` is small beside x or null. NaN stays NaN.
static Value expOf(Reals &r, Value x, Value low = {}, int exponent = 0) {
  // Past these the result is infinite or zero even after halving.
  x = clamped(r, x, r.pick(-106, -748), r.pick(91, 712));
  Value whole = r.round(r.mul(x, r.real(r.pick(1.4426950216293335, 1.4426950408889634))));
  // ln(2) in two parts, the first with enough zeros at its end for an exact product.
  Value rest = r.sub(x, r.mul(whole, r.real(r.pick(0.693145751953125, 0.6931471806019545))));
  Value lost = r.mul(whole, r.real(r.pick(1.428606765330187e-06, -4.2009150726810846e-11)));
  rest = r.sub(rest, low ? r.sub(lost, low) : lost);
  Value tail = r.mul(r.mul(rest, rest), expTail(r, rest));
  Value power = r.add(r.real(1), r.add(rest, tail));
  Value scale = r.toWord(whole);
  if (exponent)
    scale = r.addi(scale, r.word(exponent));
  return r.scaled(power, scale);
}

Value sextant::simt::expandExp(Reals &r, Value x) { return expOf(r, x); }

Value sextant::simt::expandExp2(Reals &r, Value x) {
  x = clamped(r, x, r.pick(-152, -1077), r.pick(130, 1026));
  Value whole = r.round(x);
  Value rest = r.mul(r.sub(x, whole), r.real(r.pick(0.6931471824645996, 0.6931471805599453)));
  Value tail = r.mul(r.mul(rest, rest), expTail(r, rest));
  return r.scaled(r.add(r.real(1), r.add(rest, tail)), r.toWord(whole));
}

//===--- Logarithms --------------------------------------------------------===//

namespace {

/// x = 2^exponent * (1 + f), with 1 + f between sqrt(1/2) and sqrt(2).
struct Parts {
  Value exponent, f;
};

} // namespace

/// The parts of a positive finite number.
static Parts partsOf(Reals &r, Value x) {
  double least = r.isDouble ? 0x1p-1022 : 0x1p-126;
  int lift = r.fraction() + 2;
  Value isSmall = r.less(x, r.real(least)); // subnormal
  Value lifted = r.mul(x, r.real(r.isDouble ? 0x1p54 : 0x1p25));
  Value bits = r.bits(r.select(isSmall, lifted, x));
  Value root = r.integer(r.isDouble ? 0x3fe6a09e667f3bcd : 0x3f3504f3); // sqrt(1/2)
  Value above = r.subi(bits, root); // the exponent, then bits of the significand
  Value whole = r.andi(above, r.integer(-(int64_t(1) << r.fraction())));
  Value significand = r.fromBits(r.subi(bits, whole));
  Value exponent = r.b.create<arith::SIToFPOp>(
      r.loc, r.type,
      r.shrs(r.topWord(above), r.word(r.isDouble ? r.fraction() - 32 : r.fraction())));
  exponent = r.sub(exponent, r.select(isSmall, r.real(lift), r.real(0)));
  return {exponent, r.sub(significand, r.real(1))};
}

/// The logarithms of zero, of negative numbers, of infinity and of NaN.
static Value logSpecial(Reals &r, Value x, Value result) {
  result = r.select(r.equal(x, r.real(0)), r.neg(r.infinity()), result);
  result = r.select(r.less(x, r.real(0)), r.nan(), result);
  return r.select(r.compare(Reals::Compare::UGE, x, r.infinity()), x, result);
}

/// The factors of a logarithm to another base: 1 / ln(base) in two parts, the first short enough
/// for an exact product, and log(2) to that base likewise.
struct Base {
  double inverseHigh, inverseLow, twoHigh, twoLow;
};

/// The parts are of f32 or f64; base 2 has the whole exponent.
static Base baseOf(const Reals &r, int base) {
  if (base == 2)
    return r.isDouble ? Base{1.442695040255785, 6.331784189566044e-10, 1, 0}
                      : Base{1.44287109375, -0.00017605285393074155, 1, 0};
  return r.isDouble
             ? Base{0.43429448176175356, 1.414982685385801e-10, 0.3010299956640665,
                    -8.532344317057107e-14}
             : Base{0.434326171875, -3.168997136526741e-05, 0.301025390625, 4.605039066518657e-06};
}

// log(1 + f) = 2 atanh(s) with s = f / (2 + f), written so that f itself stays exact.
Value sextant::simt::expandLog(Reals &r, Value x, int base) {
  static constexpr double single[] = {0.666666865, 0.39988777, 0.295800537};
  static constexpr double twice[] = {0.666666666666667,   0.39999999999899444, 0.2857142862600327,
                                     0.22222211130259878, 0.18182889455674947, 0.15331710618210773,
                                     0.14616585424888623};
  Parts parts = partsOf(r, x);
  Value f = parts.f;
  Value s = r.div(f, r.add(r.real(2), f));
  Value z = r.mul(s, s);
  Value tail = r.mul(z, r.isDouble ? r.polynomial(z, twice) : r.polynomial(z, single));
  Value half = r.mul(r.mul(r.real(0.5), f), f);
  Value curve = r.mul(s, r.add(half, tail)); // log(1 + f) = f - (half - curve)
  Value result;
  if (base) {
    // In two parts, the first of which has few digits, so that its product with the
    // constant's is exact.
    Base constants = baseOf(r, base);
    Value high = r.fromBits(
        r.andi(r.bits(r.sub(f, half)), r.integer(-(int64_t(1) << (r.isDouble ? 32 : 12)))));
    Value low = r.add(r.sub(r.sub(f, high), half), curve);
    Value main = r.mul(high, r.real(constants.inverseHigh));
    Value rest = r.add(r.mul(r.add(low, high), r.real(constants.inverseLow)),
                       r.mul(low, r.real(constants.inverseHigh)));
    Value whole = r.mul(parts.exponent, r.real(constants.twoHigh));
    if (constants.twoLow != 0)
      rest = r.add(rest, r.mul(parts.exponent, r.real(constants.twoLow)));
    Pair sum = r.fastSum(whole, main);
    result = r.add(sum.high, r.add(sum.low, rest));
  } else {
    Value high = r.mul(parts.exponent, r.real(r.pick(0.693145751953125, 0.6931471806019545)));
    Value low =
        r.mul(parts.exponent, r.real(r.pick(1.428606765330187e-06, -4.2009150726810846e-11)));
    result = r.sub(high, r.sub(r.sub(half, r.add(curve, low)), f));
  }
  return logSpecial(r, x, result);
}

//===--- Powers ------------------------------------------------------------===//

/// The logarithm of a positive finite number with about twice the type's precision.
static Pair exactLog(Reals &r, Value x) {
  static constexpr double single[] = {0.400000155, 0.285622358, 0.230482385};
  static constexpr double twice[] = {0.40000000000000024, 0.2857142857133851,  0.2222222227110234,
                                     0.18181808247544543, 0.15385574796462032, 0.13285957435193352,
                                     0.1291361767218225};
  Parts parts = partsOf(r, x);
  // s = f / (2 + f): what the division and the sum lost is found from exact products.
  Pair below = r.fastSum(r.real(2), parts.f);
  Value inverse = r.div(r.real(1), below.high);
  Value quotient = r.mul(parts.f, inverse);
  Pair back = r.product(quotient, below.high);
  Value lost = r.sub(r.sub(parts.f, back.high), back.low);
  lost = r.sub(lost, r.mul(quotient, below.low));
  Pair s = r.fastSum(quotient, r.mul(lost, inverse));
  // 2s + s^3 (2/3 + s^2 Q(s^2)).
  Pair z = r.product(s.high, s.high);
  z.low = r.add(z.low, r.mul(r.mul(r.real(2), s.high), s.low));
  Value tail =
      r.mul(z.high, r.isDouble ? r.polynomial(z.high, twice) : r.polynomial(z.high, single));
  Pair factor = r.fastSum(r.real(r.pick(0.6666666865348816, 0.6666666666666666)), tail);
  factor.low = r.add(factor.low, r.real(r.pick(-1.9868215517249155e-08, 3.700743415417188e-17)));
  Pair cube = r.product(s.high, z.high);
  cube.low = r.add(cube.low, r.add(r.mul(s.high, z.low), r.mul(s.low, z.high)));
  Pair curve = r.product(cube.high, factor.high);
  curve.low = r.add(curve.low, r.add(r.mul(cube.high, factor.low), r.mul(cube.low, factor.high)));
  Pair main = r.fastSum(r.mul(r.real(2), s.high), curve.high);
  Value low = r.add(main.low, r.add(r.mul(r.real(2), s.low), curve.low));
  // And the exponent's share.
  Value whole = r.mul(parts.exponent, r.real(r.pick(0.693145751953125, 0.6931471806019545)));
  Value rest =
      r.mul(parts.exponent, r.real(r.pick(1.428606765330187e-06, -4.2009150726810846e-11)));
  Pair total = r.sum(whole, main.high);
  low = r.add(low, r.add(total.low, rest));
  return r.fastSum(total.high, low);
}

Value sextant::simt::expandPow(Reals &r, Value x, Value y) {
  Value size = r.abs(x), one = r.real(1), zero = r.real(0), infinite = r.infinity();
  Value isZero = r.equal(size, zero), isInfinite = r.equal(size, infinite);
  Value isUnit = r.equal(size, one);
  // A larger exponent gives 0, 1 or infinity all the same, and its product overflows.
  double bound = r.isDouble ? 0x1p80 : 0x1p60;
  Value exponent = clamped(r, y, -bound, bound);
  Value base = r.select(r.either(isZero, isInfinite), one, size);
  Pair log = exactLog(r, base);
  Pair product = r.product(exponent, log.high);
  Value low = r.add(product.low, r.mul(exponent, log.low));
  // Past the range the low part is of no use, and may be no number.
  Value inRange = r.less(r.abs(product.high), r.real(r.pick(200, 1500)));
  low = r.select(inRange, low, zero);
  Value power = r.select(isUnit, one, expOf(r, product.high, low));
  Value yNegative = r.less(y, zero);
  power = r.select(isZero, r.select(yNegative, infinite, zero), power);
  power = r.select(isInfinite, r.select(yNegative, zero, infinite), power);
  // Negative bases only have powers with whole exponents; odd ones keep the sign.
  Value yWhole = r.equal(r.trunc(y), y);
  Value yHalf = r.mul(y, r.real(0.5));
  Value yOdd = r.both(yWhole, r.no(r.equal(r.trunc(yHalf), yHalf)));
  Value xNegative = r.compare(Reals::IntCompare::slt, r.bits(x), r.integer(0));
  Value signedPower = r.select(r.both(xNegative, yOdd), r.neg(power), power);
  Value isNumber = r.either(r.either(r.no(xNegative), yWhole), r.either(isZero, isInfinite));
  Value result = r.select(isNumber, signedPower, r.nan());
  result = r.select(r.isNan(x), x, result);
  result = r.select(r.isNan(y), y, result);
  return r.select(r.either(r.equal(x, one), r.equal(y, zero)), one, result);
}

//===--- Hyperbolic functions ----------------------------------------------===//

Value sextant::simt::expandHyperbolic(Reals &r, llvm::StringRef name, Value x) {
  static constexpr double tanhSingle[] = {-0.333333313, 0.133331135, -0.0539094284, 0.0213093888,
                                          -0.00661022775};
  static constexpr double tanhTwice[] = {
      -0.3333333333333333,    0.13333333333332714,   -0.053968253967434016, 0.021869488493666944,
      -0.008863234397814355,  0.003592110378689024,  -0.001455661830100716, 0.0005889360520074057,
      -0.0002346347410887237, 8.511313685577672e-05, -2.060276537636634e-05};
  static constexpr double sinhSingle[] = {0.166666672, 0.00833333936, 0.000198381022,
                                          2.80628024e-06};
  static constexpr double sinhTwice[] = {
      0.16666666666666666,   0.008333333333333333,   0.0001984126984126984, 2.7557319223985893e-06,
      2.505210838544172e-08, 1.6059043836821613e-10, 7.647163731819816e-13, 2.8114572543455206e-15};
  Value size = r.abs(x), z = r.mul(x, x);
  auto nearZero = [&](llvm::ArrayRef<double> single, llvm::ArrayRef<double> twice) {
    return r.add(x, r.mul(r.mul(x, z), r.polynomial(z, r.isDouble ? twice : single)));
  };
  if (name == "tanh") {
    Value large = expOf(r, r.add(size, size));
    Value far = r.sub(r.real(1), r.div(r.real(2), r.add(large, r.real(1))));
    return r.withSign(r.select(r.less(size, r.real(0.55)), nearZero(tanhSingle, tanhTwice), far),
                      x);
  }
  // Halves, so that what fits does not overflow on the way. Where a device's division takes no
  // large divisors, the other half is next to nothing.
  Value up = expOf(r, size, {}, -1);
  Value down = r.div(r.real(0.25), up);
  if (name == "cosh")
    return r.add(up, down);
  return r.select(r.less(size, r.real(1)), nearZero(sinhSingle, sinhTwice),
                  r.withSign(r.sub(up, down), x));
}
