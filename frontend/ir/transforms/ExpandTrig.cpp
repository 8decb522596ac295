// Sine, cosine and tangent as arithmetic: the argument less a multiple of pi/2, then
// polynomials on [-pi/4, pi/4].
#include "frontend/ir/transforms/Reals.h"

using namespace mlir;
using namespace sextant::simt;

namespace {

/// x = quadrant * pi/2 + rest, the quadrant modulo 4.
struct Reduced {
  Value rest, quadrant;
};

} // namespace

//===--- Moderate arguments ------------------------------------------------===//

/// pi/2 in parts; products with all but the last are exact up to the limit below.
static Reduced reduceNear(Reals &r, Value x) {
  static constexpr double single[] = {1.5703125, 0.0004837512969970703, 7.549533620476723e-08,
                                      2.5633440682570896e-12};
  static constexpr double twice[] = {1.5707963267341256, 6.077100506303966e-11,
                                     2.0222662487959506e-21};
  Value whole = r.round(r.mul(x, r.real(r.pick(0.6366197466850281, 0.6366197723675814))));
  Value rest = x;
  for (double part : r.isDouble ? llvm::ArrayRef<double>(twice) : llvm::ArrayRef<double>(single))
    rest = r.sub(rest, r.mul(whole, r.real(part)));
  return {rest, r.widened(r.toWord(whole))};
}

static double nearLimit(const Reals &r) { return r.pick(0x1p13, 0x1p20); }

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

// Payne and Hanek's way: of the product with 2/pi, only the digits around the point
// matter. Those above count whole turns; 2 words below give the rest its precision.
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

static Reduced reduce(Reals &r, Value x) {
  Value isNear = r.compare(Reals::Compare::OLE, r.abs(x), r.real(nearLimit(r)));
  auto branch = r.b.create<scf::IfOp>(r.loc, TypeRange{r.type, r.intType}, isNear,
                                      /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(r.b);
  auto fill = [&](Block *block, Reduced (*how)(Reals &, Value)) {
    r.b.setInsertionPointToStart(block);
    Reduced reduced = how(r, x);
    r.b.create<scf::YieldOp>(r.loc, ValueRange{reduced.rest, reduced.quadrant});
  };
  fill(branch.thenBlock(), reduceNear);
  fill(branch.elseBlock(), reduceFar);
  return {branch.getResult(0), branch.getResult(1)};
}

//===--- The functions -----------------------------------------------------===//

static Value sinNear(Reals &r, Value x, Value z) {
  static constexpr double single[] = {-0.166666672, 0.00833333191, -0.000198400841, 2.72496209e-06};
  static constexpr double twice[] = {
      -0.16666666666666666,  0.008333333333333331,   -0.0001984126984126504, 2.755731921932058e-06,
      -2.50521062259944e-08, 1.6058530646595953e-10, -7.586636882825159e-13};
  Value tail = r.isDouble ? r.polynomial(z, twice) : r.polynomial(z, single);
  return r.add(x, r.mul(r.mul(x, z), tail));
}

static Value cosNear(Reals &r, Value z) {
  static constexpr double single[] = {0.0416666642, -0.00138883013, 2.45476895e-05};
  static constexpr double twice[] = {0.041666666666666664,  -0.0013888888888887389,
                                     2.48015872987544e-05,  -2.755731726587808e-07,
                                     2.087614504941318e-09, -1.138254464534925e-11};
  Value tail = r.isDouble ? r.polynomial(z, twice) : r.polynomial(z, single);
  Value half = r.mul(z, r.real(0.5));
  Value head = r.sub(r.real(1), half);
  Value lost = r.sub(r.sub(r.real(1), head), half);
  return r.add(head, r.add(lost, r.mul(r.mul(z, z), tail)));
}

Value sextant::simt::expandTrig(Reals &r, llvm::StringRef name, Value x) {
  Reduced reduced = reduce(r, x);
  Value z = r.mul(reduced.rest, reduced.rest);
  Value sine = sinNear(r, reduced.rest, z), cosine = cosNear(r, z);
  Value quadrant = reduced.quadrant;
  if (name == "cos")
    quadrant = r.addi(quadrant, r.integer(1));
  Value isOdd = r.compare(Reals::IntCompare::ne, r.andi(quadrant, r.integer(1)), r.integer(0));
  Value value;
  if (name == "tan") {
    Value above = r.select(isOdd, r.neg(cosine), sine);
    value = r.div(above, r.select(isOdd, sine, cosine));
  } else {
    value = r.select(isOdd, cosine, sine);
    Value sign = r.shl(r.andi(quadrant, r.integer(2)), r.integer(r.isDouble ? 62 : 30));
    value = r.fromBits(r.xori(r.bits(value), sign));
  }
  // A negative zero would lose its sign on the way.
  return name == "cos" ? value : r.select(r.equal(x, r.real(0)), x, value);
}
