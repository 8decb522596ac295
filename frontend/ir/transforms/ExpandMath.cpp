// Math functions as arithmetic, for targets without a library of them: which op becomes
// what, the inverse trigonometric functions, and the exact remainder.
#include "frontend/ir/transforms/Passes.h"
#include "frontend/ir/transforms/Reals.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace sextant::simt;

//===--- Inverse trigonometric functions -----------------------------------===//

/// (asin(x) / x - 1) / x^2 as a function of z = x^2, up to 1/4.
static Value asinTail(Reals &r, Value z) {
  static constexpr double single[] = {0.166666657,  0.0750009418, 0.0445994027,
                                      0.0311006624, 0.0171492379, 0.0336908475};
  static constexpr double twice[] = {
      0.16666666666666669, 0.07499999999998433,  0.04464285714635543,  0.030381944138531247,
      0.02237217294214989, 0.017352392720869973, 0.013971212973552933, 0.011479177415184906,
      0.01032281435018578, 0.005457506718640358, 0.01740087944269402,  -0.014851887071247204,
      0.028757851367421566};
  return r.isDouble ? r.polynomial(z, twice) : r.polynomial(z, single);
}

static double halfPi(const Reals &r) { return r.pick(1.5707963705062866, 1.5707963267948966); }
/// The part that rounding takes from pi/2.
static double halfPiLow(const Reals &r) {
  return r.pick(-4.371138828673793e-08, 6.123233995736766e-17);
}

// Past a half, from the half angle: 1 - |x| is exact there.
static Value expandAsin(Reals &r, Value x, bool isAcos) {
  Value size = r.abs(x), high = r.real(halfPi(r)), low = r.real(halfPiLow(r));
  Value isNear = r.compare(Reals::Compare::OLE, size, r.real(0.5));
  // The lesser of both is the one that is meant, and a minimum takes one instruction.
  Value square = r.mul(x, x), other = r.mul(r.sub(r.real(1), size), r.real(0.5));
  Value z = r.select(r.less(square, other), square, other);
  Value base = r.select(isNear, x, r.sqrt(z));
  Value tail = r.mul(r.mul(base, z), asinTail(r, z));
  Value half = r.add(base, tail);
  Value twice = r.add(half, half);
  if (!isAcos) {
    Value far = r.sub(high, r.sub(twice, low));
    return r.select(isNear, half, r.withSign(far, x));
  }
  Value near = r.sub(high, r.sub(base, r.sub(low, tail)));
  Value pi = r.add(high, high);
  Value below = r.sub(pi, r.sub(twice, r.add(low, low)));
  return r.select(isNear, near, r.select(r.less(x, r.real(0)), below, twice));
}

/// The arc tangent of numbers from -1 to 1.
static Value atanUnit(Reals &r, Value t) {
  static constexpr double single[] = {1,           -0.33333153, 0.19993773,
                                      -0.14211056, 0.106660046, -0.07552215,
                                      0.043211866, -0.01636793, 0.002920693};
  static constexpr double twice[] = {1,
                                     -0.3333333333333186,
                                     0.1999999999975502,
                                     -0.14285714271334826,
                                     0.11111110678749694,
                                     -0.09090901235404351,
                                     0.07692212930622443,
                                     -0.06665860363582805,
                                     0.05877307773270336,
                                     -0.052392330092955686,
                                     0.04673949630151692,
                                     -0.04092638263017145,
                                     0.03406781141375558,
                                     -0.02582679721660749,
                                     0.016978036206924268,
                                     -0.009184559476676776,
                                     0.0038559750677950384,
                                     -0.001164071822393659,
                                     0.0002230224127696392,
                                     -2.025855394461174e-05};
  Value z = r.mul(t, t);
  return r.mul(t, r.isDouble ? r.polynomial(z, twice) : r.polynomial(z, single));
}

// Past 1, pi/2 less the angle of the inverse.
static Value expandAtan(Reals &r, Value x) {
  Value size = r.abs(x), one = r.real(1);
  Value isSteep = r.less(one, size);
  Value angle =
      atanUnit(r, r.div(r.select(isSteep, r.real(-1), size), r.select(isSteep, size, one)));
  return r.signedLike(r.add(r.select(isSteep, r.real(halfPi(r)), r.real(0)), angle), x);
}

/// The angle of (x, y), of any numbers.
static Value atan2OfAny(Reals &r, Value y, Value x) {
  Value ySize = r.abs(y), xSize = r.abs(x), zero = r.real(0), one = r.real(1);
  Value isSteep = r.less(xSize, ySize);
  Value less = r.select(isSteep, xSize, ySize), more = r.select(isSteep, ySize, xSize);
  // Devices' own division of f32 need not take divisors past 2^126. What the scale makes
  // subnormal has a ratio that underflows anyway.
  if (!r.isDouble) {
    Value scale = r.select(r.less(r.real(0x1p100), more), r.real(0x1p-60), one);
    less = r.mul(less, scale);
    more = r.mul(more, scale);
  }
  Value ratio = r.div(less, more);
  ratio = r.select(r.equal(more, zero), zero, ratio);
  ratio = r.select(r.equal(less, r.infinity()), one, ratio);
  Value angle = atanUnit(r, ratio);
  Value high = r.real(halfPi(r)), low = r.real(halfPiLow(r));
  angle = r.select(isSteep, r.sub(high, r.sub(angle, low)), angle);
  Value isLeft = r.compare(Reals::IntCompare::slt, r.bits(x), r.integer(0));
  Value left = r.sub(r.add(high, high), r.sub(angle, r.add(low, low)));
  angle = r.withSign(r.select(isLeft, left, angle), y);
  return r.select(r.either(r.isNan(x), r.isNan(y)), r.add(x, y), angle);
}

static Value expandAtan2(Reals &r, Value y, Value x) {
  // 0, pi/2 or pi, more or less the angle to the nearer axis.
  auto usual = [&] {
    Value ySize = r.abs(y), xSize = r.abs(x), zero = r.integer(0);
    Value sign = r.bits(r.real(-0.0));
    Value isSteep = r.less(xSize, ySize);
    Value less = r.select(isSteep, xSize, ySize), more = r.select(isSteep, ySize, xSize);
    Value angle = atanUnit(r, r.div(less, more));
    Value flips = r.xori(r.select(isSteep, sign, zero), r.andi(r.bits(x), sign));
    angle = r.fromBits(r.xori(r.bits(angle), flips));
    Value isLeft = r.compare(Reals::IntCompare::slt, r.bits(x), zero);
    Value axis = r.select(isLeft, r.real(2 * halfPi(r)), r.real(0));
    angle = r.add(r.select(isSteep, r.real(halfPi(r)), axis), angle);
    return std::pair(r.isNotNormal(r.add(more, less)), r.signedLike(angle, y));
  };
  return r.unlessRare(usual, [&] { return atan2OfAny(r, y, x); });
}

//===--- The exact remainder -----------------------------------------------===//

// Long division, as many bits a step as the integer has above the significand.
static Value expandRemainder(Reals &r, Value x, Value y) {
  Value xSize = r.size(x), ySize = r.size(y), zero = r.integer(0);
  Number dividend = r.number(xSize), divisor = r.number(ySize);
  Value most = r.integer(r.isDouble ? 11 : 8);
  Value steps = r.subi(dividend.exponent, divisor.exponent);
  Value fits = r.compare(Reals::IntCompare::uge, dividend.significand, divisor.significand);
  Value first = r.subi(dividend.significand, r.select(fits, divisor.significand, zero));
  SmallVector<Type> types(2, r.intType);
  auto loop = r.b.create<scf::WhileOp>(
      r.loc, types, ValueRange{first, steps},
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Value goesOn = r.compare(Reals::IntCompare::sgt, args[1], zero);
        b.create<scf::ConditionOp>(loc, goesOn, args);
      },
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Value step = r.op<arith::MinSIOp>(args[1], most);
        Value rest = r.op<arith::RemUIOp>(r.shl(args[0], step), divisor.significand);
        b.create<scf::YieldOp>(loc, ValueRange{rest, r.subi(args[1], step)});
      });
  Value scale = r.subi(divisor.exponent, r.integer(r.bias() + r.fraction()));
  if (r.isDouble)
    scale = r.b.create<arith::TruncIOp>(r.loc, r.b.getI32Type(), scale);
  Value rest = r.withSign(r.scaled(r.toReal(loop.getResult(0)), scale), x);
  Value result = r.select(r.compare(Reals::IntCompare::ult, xSize, ySize), x, rest);
  Value infinite = r.bits(r.infinity());
  Value isNone = r.either(r.either(r.compare(Reals::IntCompare::eq, ySize, zero),
                                   r.compare(Reals::IntCompare::uge, xSize, infinite)),
                          r.compare(Reals::IntCompare::ugt, ySize, infinite));
  return r.select(isNone, r.nan(), result);
}

//===--- All ---------------------------------------------------------------===//

/// The inverse of a divisor that is a power of two. Absent for other divisors.
static std::optional<APFloat> exactInverse(Value divisor) {
  FloatAttr constant;
  if (!matchPattern(divisor, m_Constant(&constant)))
    return std::nullopt;
  APFloat inverse(constant.getValue().getSemantics());
  return constant.getValue().getExactInverse(&inverse) ? std::optional(inverse) : std::nullopt;
}

static Value expand(Reals &r, Operation &op, ValueRange v) {
  StringRef name = op.getName().getStringRef();
  if (name == "arith.remf")
    return expandRemainder(r, v[0], v[1]);
  if (name == "arith.divf" && !r.isDouble) {
    std::optional<APFloat> inverse = exactInverse(v[1]);
    return inverse ? r.mul(v[0], r.real(inverse->convertToDouble()))
                   : expandDivision(r, v[0], v[1]);
  }
  if (name == "math.sqrt" && !r.isDouble)
    return expandSqrt(r, v[0]);
  if (!name.consume_front("math."))
    return {};
  if (name == "exp")
    return expandExp(r, v[0]);
  if (name == "exp2")
    return expandExp2(r, v[0]);
  if (name == "log")
    return expandLog(r, v[0], 0);
  if (name == "log2" || name == "log10")
    return expandLog(r, v[0], name == "log2" ? 2 : 10);
  if (name == "powf")
    return expandPow(r, v[0], v[1]);
  if (name == "rsqrt")
    return expandInverseRoot(r, v[0]);
  if (name == "sin" || name == "cos" || name == "tan")
    return expandTrig(r, name, v[0]);
  if (name == "sinh" || name == "cosh" || name == "tanh")
    return expandHyperbolic(r, name, v[0]);
  if (name == "asin" || name == "acos")
    return expandAsin(r, v[0], name == "acos");
  if (name == "atan")
    return expandAtan(r, v[0]);
  if (name == "atan2")
    return expandAtan2(r, v[0], v[1]);
  if (name == "copysign")
    return r.withSign(v[0], v[1]);
  return {};
}

bool sextant::simt::isLongMath(Operation *op) {
  if (op->getNumResults() != 1 || !isa<FloatType>(op->getResult(0).getType()))
    return false;
  const bool isDouble = op->getResult(0).getType().isF64();
  const StringRef name = op->getName().getStringRef();
  if (name == "arith.divf")
    return !isDouble && !exactInverse(op->getOperand(1));
  if (name == "math.sqrt")
    return !isDouble;
  static constexpr StringLiteral functions[] = {
      "arith.remf", "math.exp",  "math.exp2", "math.log",  "math.log2", "math.log10",
      "math.powf",  "math.sin",  "math.cos",  "math.tan",  "math.sinh", "math.cosh",
      "math.tanh",  "math.asin", "math.acos", "math.atan", "math.atan2"};
  return llvm::is_contained(functions, name);
}

/// The root in sqrt(y) or, if they count, in y * sqrt(y), which is a power of 1.5; else null.
static math::SqrtOp rootIn(Value divisor, bool countsPowers) {
  if (auto root = divisor.getDefiningOp<math::SqrtOp>())
    return isPrecise(root) ? nullptr : root;
  auto product = divisor.getDefiningOp<arith::MulFOp>();
  if (!product || !countsPowers || isPrecise(product))
    return nullptr;
  for (unsigned k : {0u, 1u})
    if (auto root = product->getOperand(k).getDefiningOp<math::SqrtOp>();
        root && root.getOperand() == product->getOperand(1 - k) && !isPrecise(root))
      return root;
  return nullptr;
}

/// Makes x / sqrt(y) of f32 a product with the inverse root, which takes half of the time; also
/// x / (y * sqrt(y)), where an estimate is faster than a root and a division.
static void multiplyByInverseRoots(ModuleOp module, bool countsPowers) {
  SmallVector<arith::DivFOp> quotients;
  module.walk([&](arith::DivFOp op) {
    if (op.getType().isF32() && !isPrecise(op) && rootIn(op.getRhs(), countsPowers))
      quotients.push_back(op);
  });
  for (arith::DivFOp op : quotients) {
    OpBuilder b(op);
    Operation *divisor = op.getRhs().getDefiningOp();
    math::SqrtOp root = rootIn(op.getRhs(), countsPowers);
    Value inverse = b.create<math::RsqrtOp>(op.getLoc(), root.getOperand()), result = op.getLhs();
    for (unsigned times = divisor == root ? 1 : 3; times > 0; --times)
      result = b.create<arith::MulFOp>(op.getLoc(), result, inverse);
    op.replaceAllUsesWith(result);
    op.erase();
    if (divisor != root && divisor->use_empty())
      divisor->erase();
    if (root->use_empty())
      root.erase();
  }
}

/// True if the op is in a loop, and the value is computed before it.
static bool isInvariant(Value value, Operation *op) {
  auto loop = op->getParentOfType<LoopLikeOpInterface>();
  return loop && !loop->isAncestor(value.getParentRegion()->getParentOp());
}

/// Makes quotients of f32 products with the divisor's inverse, where there are fewer inverses than
/// quotients: by constants, several by one divisor, or in a loop that the divisor does not change
/// in.
static void multiplyByInverses(ModuleOp module) {
  llvm::MapVector<Value, SmallVector<arith::DivFOp>> byDivisor;
  module.walk([&](arith::DivFOp op) {
    if (op.getType().isF32() && !isPrecise(op))
      byDivisor[op.getRhs()].push_back(op);
  });
  for (auto &[divisor, quotients] : byDivisor) {
    if (quotients.size() == 1 && !matchPattern(divisor, m_Constant()) &&
        !isInvariant(divisor, quotients.front()))
      continue;
    OpBuilder b(module.getContext());
    b.setInsertionPointAfterValue(divisor);
    const Location loc = quotients.front().getLoc();
    Value one = b.create<arith::ConstantOp>(loc, b.getF32FloatAttr(1));
    Value inverse = b.create<arith::DivFOp>(loc, one, divisor);
    for (arith::DivFOp op : quotients) {
      OpBuilder at(op);
      op.replaceAllUsesWith(
          at.create<arith::MulFOp>(op.getLoc(), op.getLhs(), inverse).getResult());
      op.erase();
    }
  }
}

void sextant::simt::expandMath(ModuleOp module, llvm::function_ref<bool(Operation *)> keeps,
                               MathTarget target) {
  target.isFast = target.hasLanes && isFastMath(module);
  if (target.isFast)
    multiplyByInverses(module);
  if (target.isFast && target.hasFma)
    multiplyByInverseRoots(module, target.estimatesRoots && !target.hasFastRoots);
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (isa<math::MathDialect, arith::ArithDialect>(op->getDialect()) && op->getNumResults() == 1 &&
        isa<FloatType>(op->getResult(0).getType()) && !keeps(op))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    OpBuilder b(op);
    auto own = cast<FloatType>(op->getResult(0).getType());
    FloatType computed = own.isF16() ? b.getF32Type() : own;
    Reals r(b, op->getLoc(), computed, target);
    SmallVector<Value> operands(op->getOperands());
    bool widens = own != computed;
    r.target.isFast &= !widens;
    // Only where there is an expansion; the widened operands are dead otherwise.
    if (widens)
      for (Value &operand : operands)
        if (operand.getType() == own)
          operand = b.create<arith::ExtFOp>(op->getLoc(), computed, operand);
    Value result = expand(r, *op, operands);
    if (!result)
      continue;
    if (widens)
      result = b.create<arith::TruncFOp>(op->getLoc(), own, result);
    op->getResult(0).replaceAllUsesWith(result);
    op->erase();
  }
}
