// Exponentials, logarithms and powers as arithmetic. The polynomials are Chebyshev fits
// on the reduced ranges, good to a quarter of the last place or better.
#include "frontend/ir/transforms/Reals.h"

using namespace mlir;
using namespace sextant::simt;

//===--- Exponentials ------------------------------------------------------===//

/// (e^x - 1 - x) / x^2 for |x| <= ln(2) / 2.
static Value expTail(Reals &r, Value x) {
  static constexpr double single[] = {0.49999994, 0.16666521, 0.04166839, 0.008368725,
                                      0.0013814581};
  static constexpr double twice[] = {
      0.5000000000000011,     0.16666666666666413,  0.04166666666653003,   0.008333333333494621,
      0.0013888888943669286,  0.000198412695063277, 2.480149305386649e-05, 2.7557586511532316e-06,
      2.7630265842837634e-07, 2.500004600997324e-08};
  return r.isDouble ? r.polynomial(x, twice) : r.polynomial(x, single);
}

static Value clamped(Reals &r, Value x, double low, double high) {
  Value atMost = r.select(r.less(r.real(high), x), r.real(high), x);
  return r.select(r.less(atMost, r.real(low)), r.real(low), atMost);
}

namespace {

/// x = whole * ln(2) + rest.
struct Octaves {
  Whole whole;
  Value rest;
};

} // namespace

/// Returns the octaves of x + low, where `low` is small beside x or null. `offset` is added to the
/// bits of the whole number.
static Octaves octavesOf(Reals &r, Value x, Value low = {}, int offset = 0) {
  Whole whole = r.nearest(r.mul(x, r.real(r.pick(1.4426950216293335, 1.4426950408889634))), offset);
  // ln(2) in two parts, the first with enough zeros at its end for an exact product.
  Value rest = r.sub(x, r.mul(whole.real, r.real(r.pick(0.693145751953125, 0.6931471806019545))));
  Value lost = r.mul(whole.real, r.real(r.pick(1.428606765330187e-06, -4.2009150726810846e-11)));
  return {whole, r.sub(rest, low ? r.sub(lost, low) : lost)};
}

static Value expOfRest(Reals &r, Value rest) {
  Value one = r.real(1), slope = r.add(r.mul(expTail(r, rest), rest), one);
  return r.add(r.mul(slope, rest), one);
}

/// 2^n for whole numbers that are rounded with the bias as offset. The power is a normal number.
static Value powerOf(Reals &r, Whole biased) {
  return r.fromBits(r.shl(biased.bits, r.integer(r.fraction())));
}

/// Where |x| is at most this, e^x and e^-x are products with one power.
static double expLimit(const Reals &r) { return r.pick(87.5, 708.5); }

/// e^(x + low) * 2^exponent, where |x| <= expLimit.
static Value expNear(Reals &r, Value x, Value low = {}, int exponent = 0) {
  Octaves octaves = octavesOf(r, x, low, int(r.bias()) + exponent);
  return r.mul(expOfRest(r, octaves.rest), powerOf(r, octaves.whole));
}

/// e^(x + low) * 2^exponent of any x. NaN stays NaN.
static Value expOf(Reals &r, Value x, Value low = {}, int exponent = 0) {
  // Past these the result is infinite or zero even after halving.
  x = clamped(r, x, r.pick(-106, -748), r.pick(91, 712));
  Octaves octaves = octavesOf(r, x, low);
  Value scale = r.toWord(octaves.whole.real);
  if (exponent)
    scale = r.addi(scale, r.word(exponent));
  return r.scaled(expOfRest(r, octaves.rest), scale);
}

static Value isBeyond(Reals &r, Value x, double limit) {
  return r.compare(Reals::Compare::UGT, r.abs(x), r.real(limit));
}

// Rare results are subnormal numbers, and those close to overflow. Past them, the power of two is 0
// or infinite, and so is the product: kernels often have exponents that underflow.
Value sextant::simt::expandExp(Reals &r, Value x) {
  auto usual = [&] {
    Value bounded = clamped(r, x, r.pick(-88, -709), r.pick(89, 710));
    return std::pair(r.isBetween(x, r.pick(87.5, 708.25), r.pick(104.5, 745.75)),
                     expNear(r, bounded));
  };
  return r.unlessRare(usual, [&] { return expOf(r, x); });
}

/// 2^x for |x| <= 1/2.
static Value exp2OfRest(Reals &r, Value x) {
  static constexpr double single[] = {1,           0.6931472,    0.24022648,  0.055503324,
                                      0.009618437, 0.0013398877, 0.0001535336};
  static constexpr double twice[] = {1,
                                     0.6931471805599453,
                                     0.2402265069591013,
                                     0.055504108664820084,
                                     0.00961812910759412,
                                     0.0013333558146774625,
                                     0.00015403530457112178,
                                     1.525273349312384e-05,
                                     1.3215435282266394e-06,
                                     1.0178199573387017e-07,
                                     7.073783255693391e-09,
                                     4.434771064021377e-10};
  return r.isDouble ? r.polynomial(x, twice) : r.polynomial(x, single);
}

Value sextant::simt::expandExp2(Reals &r, Value x) {
  auto usual = [&] {
    Value bounded = clamped(r, x, r.pick(-127, -1023), r.pick(128, 1024));
    Whole whole = r.nearest(bounded, int(r.bias()));
    Value power = r.mul(exp2OfRest(r, r.sub(bounded, whole.real)), powerOf(r, whole));
    return std::pair(r.isBetween(x, r.pick(126, 1022), r.pick(150, 1075)), power);
  };
  return r.unlessRare(usual, [&] {
    Value bounded = clamped(r, x, r.pick(-152, -1077), r.pick(130, 1026));
    Value whole = r.round(bounded);
    return r.scaled(exp2OfRest(r, r.sub(bounded, whole)), r.toWord(whole));
  });
}

//===--- Logarithms --------------------------------------------------------===//

namespace {

/// x = 2^exponent * (1 + f), with 1 + f between sqrt(1/2) and sqrt(2).
struct Parts {
  Value exponent, f;
};

} // namespace

/// The parts of a positive finite number, which is normal if that is said.
static Parts partsOf(Reals &r, Value x, bool isNormal) {
  Value isSmall;
  if (!isNormal) {
    isSmall = r.less(x, r.real(r.isDouble ? 0x1p-1022 : 0x1p-126));
    x = r.select(isSmall, r.mul(x, r.real(r.isDouble ? 0x1p54 : 0x1p25)), x);
  }
  // The exponent, then bits of the significand over sqrt(1/2).
  const int64_t root = r.isDouble ? 0x3fe6a09e667f3bcd : 0x3f3504f3;
  // f64: its exponent is made positive, since vectors of 64-bit integers are neither shifted with
  // their sign nor converted. It becomes the low bits of a number.
  const int64_t bias = r.isDouble ? int64_t(r.bias()) << r.fraction() : 0;
  Value above = r.addi(r.bits(x), r.integer(bias - root)), fraction = r.integer(r.fraction());
  Value rest = r.andi(above, r.integer((int64_t(1) << r.fraction()) - 1));
  Value significand = r.fromBits(r.addi(rest, r.integer(root)));
  Value exponent;
  if (r.isDouble) {
    exponent = r.fromBits(r.ori(r.shru(above, fraction), r.bits(r.real(0x1p52))));
    exponent = r.sub(exponent, r.real(0x1p52 + r.bias()));
  } else {
    exponent = r.toReal(r.shrs(above, fraction));
  }
  if (isSmall)
    exponent = r.sub(exponent, r.select(isSmall, r.real(r.fraction() + 2), r.real(0)));
  return {exponent, r.sub(significand, r.real(1))};
}

/// The logarithms of zero, of negative numbers, of infinity and of NaN.
static Value logSpecial(Reals &r, Value x, Value result) {
  result = r.select(r.equal(x, r.real(0)), r.neg(r.infinity()), result);
  result = r.select(r.less(x, r.real(0)), r.nan(), result);
  return r.select(r.compare(Reals::Compare::UGE, x, r.infinity()), x, result);
}

/// log(1 + f). f32: f + f^2 P(f). f64: 2 atanh(s) with s = f / (2 + f), written so that f itself
/// stays exact.
static Value logOfSum(Reals &r, Value f) {
  static constexpr double single[] = {-0.49999988, 0.33333325, -0.25001583, 0.20001975, -0.16609077,
                                      0.14181808,  -0.1324302, 0.12904565,  -0.07621866};
  static constexpr double twice[] = {0.666666666666667,   0.39999999999899444, 0.2857142862600327,
                                     0.22222211130259878, 0.18182889455674947, 0.15331710618210773,
                                     0.14616585424888623};
  if (!r.isDouble)
    return r.add(r.mul(r.mul(f, f), r.polynomial(f, single)), f);
  Value s = r.div(f, r.add(r.real(2), f));
  Value z = r.mul(s, s);
  Value half = r.mul(r.mul(r.real(0.5), f), f);
  Value curve = r.mul(s, r.add(r.mul(z, r.polynomial(z, twice)), half));
  return r.sub(f, r.sub(half, curve));
}

/// The logarithm of a positive finite number.
static Value logOf(Reals &r, Value x, int base, bool isNormal) {
  Parts parts = partsOf(r, x, isNormal);
  Value log = logOfSum(r, parts.f);
  if (base == 2)
    return r.add(r.mul(log, r.real(r.pick(1.4426950216293335, 1.4426950408889634))),
                 parts.exponent);
  if (base == 10)
    log = r.mul(log, r.real(r.pick(0.4342944920063019, 0.4342944819032518)));
  // log(2) in two parts, the first short enough for an exact product.
  const double high = base == 10 ? r.pick(0.301025390625, 0.3010299956640665)
                                 : r.pick(0.693145751953125, 0.6931471806019545);
  const double low = base == 10 ? r.pick(4.605039066518657e-06, -8.532344317057107e-14)
                                : r.pick(1.428606765330187e-06, -4.2009150726810846e-11);
  Value rest = r.add(r.mul(parts.exponent, r.real(low)), log);
  return r.add(r.mul(parts.exponent, r.real(high)), rest);
}

Value sextant::simt::expandLog(Reals &r, Value x, int base) {
  return r.unlessRare([&] { return std::pair(r.isNotNormal(x), logOf(r, x, base, true)); },
                      [&] { return logSpecial(r, x, logOf(r, x, base, false)); });
}

//===--- Powers ------------------------------------------------------------===//

/// The logarithm of a positive finite number with about twice the type's precision.
static Pair exactLog(Reals &r, Value x, bool isNormal) {
  static constexpr double single[] = {0.400000155, 0.285622358, 0.230482385};
  static constexpr double twiceTail[] = {
      0.40000000000000024, 0.2857142857133851,  0.2222222227110234, 0.18181808247544543,
      0.15385574796462032, 0.13285957435193352, 0.1291361767218225};
  Parts parts = partsOf(r, x, isNormal);
  // s = f / (2 + f): what the division and the sum lost is found from exact products.
  Pair below = r.fastSum(r.real(2), parts.f);
  Value inverse = r.div(r.real(1), below.high);
  Value quotient = r.mul(parts.f, inverse);
  Pair back = r.product(quotient, below.high);
  Value lost = r.sub(r.sub(parts.f, back.high), back.low);
  lost = r.sub(lost, r.mul(quotient, below.low));
  Pair s{quotient, r.mul(lost, inverse)};
  // 2s + s^3 (2/3 + s^2 Q(s^2)). The polynomial is a fiftieth of 2/3, so it needs no second part.
  Value twice = r.add(s.high, s.high),
        third = r.real(r.pick(0.6666666865348816, 0.6666666666666666));
  Pair z = r.product(s.high, s.high);
  z.low = r.add(z.low, r.mul(twice, s.low));
  Pair cube = r.product(s.high, z.high);
  cube.low = r.add(cube.low, r.add(r.mul(s.high, z.low), r.mul(s.low, z.high)));
  Value tail =
      r.mul(z.high, r.isDouble ? r.polynomial(z.high, twiceTail) : r.polynomial(z.high, single));
  tail = r.add(tail, r.real(r.pick(-1.9868215517249155e-08, 3.700743415417188e-17)));
  Pair curve = r.product(cube.high, third);
  curve.low = r.add(curve.low, r.add(r.mul(cube.low, third), r.mul(cube.high, tail)));
  Pair main = r.fastSum(twice, curve.high);
  Value low = r.add(main.low, r.add(r.add(s.low, s.low), curve.low));
  // And the exponent's share, which is larger, or 0.
  Value whole = r.mul(parts.exponent, r.real(r.pick(0.693145751953125, 0.6931471806019545)));
  Value rest =
      r.mul(parts.exponent, r.real(r.pick(1.428606765330187e-06, -4.2009150726810846e-11)));
  Pair total = r.fastSum(whole, main.high);
  low = r.add(low, r.add(total.low, rest));
  return r.fastSum(total.high, low);
}

/// x^y of all numbers.
static Value powOfAny(Reals &r, Value x, Value y) {
  Value size = r.abs(x), one = r.real(1), zero = r.real(0), infinite = r.infinity();
  Value isZero = r.equal(size, zero), isInfinite = r.equal(size, infinite);
  Value isUnit = r.equal(size, one);
  // A larger exponent gives 0, 1 or infinity all the same, and its product overflows.
  double bound = r.isDouble ? 0x1p80 : 0x1p60;
  Value exponent = clamped(r, y, -bound, bound);
  Value base = r.select(r.either(isZero, isInfinite), one, size);
  Pair log = exactLog(r, base, false);
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

Value sextant::simt::expandPow(Reals &r, Value x, Value y) {
  auto usual = [&] {
    Pair log = exactLog(r, x, true);
    Pair product = r.product(y, log.high);
    Value low = r.add(product.low, r.mul(y, log.low)); // may be no number, by a huge y
    Value power = expNear(r, product.high, low);
    Value isLarge = isBeyond(r, r.add(product.high, low), expLimit(r));
    return std::pair(r.either(r.isNotNormal(x), isLarge), power);
  };
  return r.unlessRare(usual, [&] { return powOfAny(r, x, y); });
}

//===--- Hyperbolic functions ----------------------------------------------===//

/// (e^x - 1) / 2 for x from 0 to expLimit, near 0 as exact as elsewhere.
static Value halfExpLessOne(Reals &r, Value x) {
  Octaves octaves = octavesOf(r, x, {}, int(r.bias()) - 1);
  Value rest = octaves.rest, power = powerOf(r, octaves.whole);
  rest = r.add(r.mul(r.mul(rest, rest), expTail(r, rest)), rest);
  return r.add(r.mul(power, rest), r.sub(power, r.real(0.5)));
}

static Value expandTanh(Reals &r, Value x) {
  static constexpr double single[] = {-0.333333313, 0.133331135, -0.0539094284, 0.0213093888,
                                      -0.00661022775};
  static constexpr double twice[] = {
      -0.3333333333333333,    0.13333333333332714,   -0.053968253967434016, 0.021869488493666944,
      -0.008863234397814355,  0.003592110378689024,  -0.001455661830100716, 0.0005889360520074057,
      -0.0002346347410887237, 8.511313685577672e-05, -2.060276537636634e-05};
  Value size = r.abs(x), z = r.mul(x, x), most = r.real(r.pick(10, 22)); // there it is 1
  Value less = r.select(r.less(most, size), most, size);
  Value up = r.add(expNear(r, r.add(less, less)), r.real(1));
  Value far = r.sub(r.real(1), r.div(r.real(2), up));
  Value curve = r.isDouble ? r.polynomial(z, twice) : r.polynomial(z, single);
  Value near = r.add(size, r.mul(r.mul(size, z), curve));
  return r.signedLike(r.select(r.less(size, r.real(0.55)), near, far), x);
}

Value sextant::simt::expandHyperbolic(Reals &r, llvm::StringRef name, Value x) {
  if (name == "tanh")
    return expandTanh(r, x);
  Value size = r.abs(x), one = r.real(1);
  // Halves, so that what fits does not overflow on the way. Past the limit, e^-x is next to
  // nothing beside e^x.
  Value limit = r.real(expLimit(r));
  Value bounded = r.target.hasLanes ? size : r.select(r.less(limit, size), limit, size);
  Value usual;
  if (name == "cosh") {
    Value up = expNear(r, bounded, {}, -1);
    usual = r.add(up, r.div(r.real(0.25), up));
  } else {
    Value less = halfExpLessOne(r, bounded);
    usual = r.add(less, r.div(less, r.add(r.add(less, less), one)));
  }
  Value isLarge = isBeyond(r, x, expLimit(r));
  Value result =
      r.rarely(isLarge, usual, [&] { return llvm::SmallVector<Value>{expOf(r, size, {}, -1)}; })[0];
  return name == "cosh" ? result : r.signedLike(result, x);
}
