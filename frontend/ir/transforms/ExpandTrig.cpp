// Sine, cosine and tangent as arithmetic: the argument less a multiple of pi, or pi/2 for tangents,
// then one polynomial.
#include "frontend/ir/transforms/Reals.h"

using namespace mlir;
using namespace sextant::simt;

namespace {

/// x = turns * period + rest. Only the last two bits of `turns` count.
struct Reduced {
  Value rest, turns;
};

} // namespace

//===--- Moderate arguments ------------------------------------------------===//

/// pi in positive parts, so that a negative zero stays one. Products with all but the last are
/// exact up to the limit below. An fma needs no exact product, so it has longer parts.
static llvm::ArrayRef<double> partsOfPi(const Reals &r) {
  static constexpr double single[] = {3.140625, 0.000967502593994140625, 1.5099067240953445e-07,
                                      5.126688303189038e-12};
  static constexpr double fused[] = {3.141592502593994, 1.5099578831723193e-07,
                                     1.078060505991553e-14};
  static constexpr double twice[] = {3.1415926534682512, 1.2154201012607932e-10,
                                     4.044532497591901e-21};
  if (r.isDouble)
    return twice;
  return r.target.hasFma ? llvm::ArrayRef<double>(fused) : llvm::ArrayRef<double>(single);
}

static double nearLimit(const Reals &r) { return r.pick(0x1p13, 0x1p20); }

/// Takes (turns + shift) * (pi / 2^halvings) from x.
static Reduced reduceNear(Reals &r, Value x, int halvings, double shift) {
  const double part = std::ldexp(1.0, -halvings);
  Value turns = r.mul(x, r.real(r.pick(0.31830987334251404, 0.3183098861837907) / part));
  if (shift != 0)
    turns = r.sub(turns, r.real(shift));
  Whole whole = r.nearest(turns);
  Value factor = shift != 0 ? r.add(whole.real, r.real(shift)) : whole.real;
  Value rest = x;
  for (double piece : partsOfPi(r))
    rest = r.sub(rest, r.mul(factor, r.real(piece * part)));
  return {rest, whole.bits};
}

//===--- Any argument ------------------------------------------------------===//

/// A word of zeros, then the binary digits of 2/pi.
static llvm::SmallVector<uint64_t> twoOverPi(bool isDouble) {
  static constexpr uint64_t digits[] = {
      0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
      0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
      0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
      0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
      0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab};
  llvm::SmallVector<uint64_t> words{0};
  for (uint64_t word : digits) {
    if (isDouble) {
      words.push_back(word);
    } else {
      words.push_back(word >> 32);
      words.push_back(word & 0xffffffff);
    }
  }
  if (!isDouble) // f32 has no exponent that reaches further
    words.resize(8);
  return words;
}

/// The upper half of a product of words, from products of half words.
static Value highProduct(Reals &r, Value x, Value y) {
  Value half = r.integer(r.isDouble ? 32 : 16);
  Value mask = r.integer(r.isDouble ? 0xffffffff : 0xffff);
  Value x0 = r.andi(x, mask), x1 = r.shru(x, half), y0 = r.andi(y, mask), y1 = r.shru(y, half);
  Value low = r.muli(x0, y0);
  Value middle = r.addi(r.muli(x1, y0), r.shru(low, half));
  Value other = r.addi(r.muli(x0, y1), r.andi(middle, mask));
  return r.addi(r.addi(r.muli(x1, y1), r.shru(middle, half)), r.shru(other, half));
}

// A multiple of pi/2, by Payne and Hanek's way: of the product with 2/pi, only the digits around
// the point matter. Those above count whole turns; 2 words below give the rest its precision.
static Reduced reduceFar(Reals &r, Value x) {
  unsigned width = r.isDouble ? 64 : 32, fraction = r.fraction();
  Value size = r.size(x);
  Value exponent = r.shru(size, r.integer(fraction));
  Value significand = r.ori(r.andi(size, r.integer((int64_t(1) << fraction) - 1)),
                            r.integer(int64_t(1) << fraction));
  // x = significand * 2^e, and digits worth 4 turns of pi/2 or more are skipped: e - 2 of
  // them after the word of zeros.
  Value skipped = r.addi(exponent, r.integer(int64_t(width) - 2 - r.bias() - fraction));
  Value first = r.shru(skipped, r.integer(r.isDouble ? 6 : 5));
  Value shift = r.andi(skipped, r.integer(width - 1));
  llvm::SmallVector<uint64_t> words = twoOverPi(r.isDouble);
  Value window[4];
  for (unsigned at = 0; at < 4; ++at) {
    window[at] = r.integer(int64_t(words[at]));
    for (unsigned number = 1; number + 3 < words.size(); ++number)
      window[at] = r.select(r.compare(Reals::IntCompare::eq, first, r.integer(number)),
                            r.integer(int64_t(words[number + at])), window[at]);
  }
  Value digits[3];
  for (unsigned at = 0; at < 3; ++at) {
    // A shift by the width is taken modulo it, so the second goes in two steps.
    Value back = r.xori(shift, r.integer(width - 1));
    Value next = r.shru(r.shru(window[at + 1], r.integer(1)), back);
    digits[at] = r.ori(r.shl(window[at], shift), next);
  }
  // The low three words of the product: 2 bits of quadrant, then the fraction.
  Value low = r.muli(significand, digits[2]);
  Value carried = highProduct(r, significand, digits[2]);
  Value middle = r.addi(r.muli(significand, digits[1]), carried);
  Value carry = r.b.create<arith::ExtUIOp>(r.loc, r.intType,
                                           r.compare(Reals::IntCompare::ult, middle, carried));
  Value top =
      r.addi(r.addi(r.muli(significand, digits[0]), highProduct(r, significand, digits[1])), carry);
  Value quadrant = r.shru(top, r.integer(width - 2));
  Value high = r.ori(r.shl(top, r.integer(2)), r.shru(middle, r.integer(width - 2)));
  Value rest = r.ori(r.shl(middle, r.integer(2)), r.shru(low, r.integer(width - 2)));
  // Past a half the next quadrant is nearer.
  Value isUpper = r.compare(Reals::IntCompare::slt, high, r.integer(0));
  Value up = r.b.create<arith::ExtUIOp>(r.loc, r.intType, isUpper);
  quadrant = r.addi(quadrant, up);
  Value flip = r.select(isUpper, r.integer(-1), r.integer(0));
  Value part =
      r.add(r.mul(r.unsignedToReal(r.xori(high, flip)), r.real(r.isDouble ? 0x1p-64 : 0x1p-32)),
            r.mul(r.unsignedToReal(r.xori(rest, flip)), r.real(r.isDouble ? 0x1p-128 : 0x1p-64)));
  Value angle = r.mul(part, r.real(r.pick(1.5707963705062866, 1.5707963267948966)));
  Value isNegative = r.compare(Reals::IntCompare::slt, r.bits(x), r.integer(0));
  Value flipped = r.xori(isUpper, isNegative);
  angle = r.select(flipped, r.neg(angle), angle);
  quadrant = r.select(isNegative, r.subi(r.integer(0), quadrant), quadrant);
  // Infinities and NaN give NaN.
  return {r.add(angle, r.sub(x, x)), quadrant};
}

//===--- The functions -----------------------------------------------------===//

/// Replaces what is near by what `far` returns, for arguments past the limit and NaN.
static Reduced reduce(Reals &r, Value x, Reduced near, llvm::function_ref<Reduced()> far) {
  Value isFar = r.compare(Reals::Compare::UGT, r.abs(x), r.real(nearLimit(r)));
  llvm::SmallVector<Value> results = r.rarely(isFar, {near.rest, near.turns}, [&] {
    Reduced reduced = far();
    return llvm::SmallVector<Value>{reduced.rest, reduced.turns};
  });
  return {results[0], results[1]};
}

/// cos(x) is the sine of x + pi/2: half a period is taken with the whole ones.
static Value expandSine(Reals &r, Value x, bool isCosine) {
  static constexpr double single[] = {1, -0.1666666, 0.0083330665, -0.00019809595, 2.605761e-06};
  static constexpr double twice[] = {1,
                                     -0.16666666666666666,
                                     0.008333333333333194,
                                     -0.0001984126984120917,
                                     2.7557319211128703e-06,
                                     -2.5052106871996542e-08,
                                     1.605893966440314e-10,
                                     -7.642990384813636e-13,
                                     2.7211630841818945e-15};
  Reduced reduced = reduce(r, x, reduceNear(r, x, 0, isCosine ? -0.5 : 0), [&] {
    Reduced quarter = reduceFar(r, x);
    Value turns = isCosine ? r.addi(quarter.turns, r.integer(1)) : quarter.turns;
    Value isOdd = r.compare(Reals::IntCompare::ne, r.andi(turns, r.integer(1)), r.integer(0));
    Value size = r.abs(quarter.rest);
    Value other = r.sub(r.real(r.pick(1.5707963705062866, 1.5707963267948966)),
                        r.add(size, r.real(r.pick(4.371138828673793e-08, -6.123233995736766e-17))));
    return Reduced{r.select(isOdd, other, quarter.rest), r.shru(turns, r.integer(1))};
  });
  Value z = r.mul(reduced.rest, reduced.rest);
  Value curve = r.isDouble ? r.polynomial(z, twice) : r.polynomial(z, single);
  return r.negatedIfOdd(r.mul(reduced.rest, curve), reduced.turns);
}

// The tangent t of half the rest gives 2t / (1 - t^2), and in odd quadrants the negative inverse.
// Bits choose operands, since selects cost more.
static Value expandTangent(Reals &r, Value x) {
  static constexpr double single[] = {0.041666616, 0.004167469, 0.00041775915, 4.993451e-05};
  static constexpr double twice[] = {
      0.04166666666666688,   0.004166666666652838,  0.0004216269844354106,
      4.271384143026822e-05, 4.327772466235755e-06, 4.384152910273026e-07,
      4.460310089574391e-08, 4.265650796408055e-09, 6.270426064477582e-10};
  Reduced reduced = reduce(r, x, reduceNear(r, x, 1, 0), [&] { return reduceFar(r, x); });
  Value z = r.mul(reduced.rest, reduced.rest);
  Value curve = r.isDouble ? r.polynomial(z, twice) : r.polynomial(z, single);
  Value half = r.real(0.5);
  Value t = r.add(r.mul(reduced.rest, half), r.mul(r.mul(reduced.rest, z), curve));
  Value sine = r.bits(t), cosine = r.bits(r.sub(half, r.mul(r.mul(half, t), t)));
  Value isOdd = r.subi(r.integer(0), r.andi(reduced.turns, r.integer(1)));
  Value change = r.andi(r.xori(sine, cosine), isOdd);
  Value above = r.negatedIfOdd(r.fromBits(r.xori(sine, change)), reduced.turns);
  return r.div(above, r.fromBits(r.xori(cosine, change)));
}

Value sextant::simt::expandTrig(Reals &r, llvm::StringRef name, Value x) {
  return name == "tan" ? expandTangent(r, x) : expandSine(r, x, name == "cos");
}
