// Arithmetic functions: `qd.sqrt`, `min`, `qd.math.popcnt` …
#include "frontend/sema/Context.h"
#include "frontend/sema/builtins/Builtins.h"
#include "frontend/sema/builtins/Shared.h"
#include "frontend/sema/eval/Calls.h"
#include "frontend/sema/eval/Derivatives.h"
#include "frontend/sema/eval/Functions.h"
#include "frontend/sema/eval/Variables.h"
#include "frontend/sema/values/Checks.h"
#include "frontend/sema/values/Convert.h"
#include "frontend/sema/values/ExactMath.h"
#include "frontend/sema/values/Operators.h"

#include <cmath>

namespace sextant::sema {

using hir::Type;
using hir::UnaryOp;

Value doUnaryMath(Context &cx, CallSite &site, UnaryOp op) {
  std::function<Value(const Value &)> one = [&](const Value &x) -> Value {
    if (x.kind == Value::Matrix)
      return mapItems(x, one);
    if (x.isExact()) {
      double r = evaluate(op, x.kind == Value::Float ? x.real : double(x.integer));
      return Value::exactFloat(r);
    }
    std::vector<ExprRef> e;
    if (!commonType(cx, e, {x}, site.at, true))
      return Value();
    Type type = e[0]->type;
    return Value::scalar(makeUnary(op, e[0], type, site.at));
  };
  return one(site.args[0]);
}

Value doRounding(Context &cx, CallSite &site, UnaryOp op) {
  std::function<Value(const Value &)> one = [&](const Value &x) -> Value {
    if (x.kind == Value::Matrix)
      return mapItems(x, one);
    if (x.kind == Value::Float)
      return Value::exactFloat(evaluate(op, x.real));
    if (x.kind == Value::Scalar && isFloat(x.expr->type))
      return Value::scalar(makeUnary(op, x.expr, x.expr->type, site.at));
    return x; // integers are whole already
  };
  Value result = one(site.args[0]);
  const bool isCast = site.given.size() > 1 && site.given[1];
  return isCast ? castItems(cx, result, site.dtype(1), site.at) : result;
}

Value doAbs(Context &cx, CallSite &site) {
  std::function<Value(const Value &)> one = [&](const Value &x) -> Value {
    if (x.kind == Value::Matrix)
      return mapItems(x, one);
    if (x.kind == Value::Float)
      return Value::exactFloat(std::fabs(x.real));
    if (x.isExact())
      return Value::exactInt(x.integer < 0 ? -x.integer : x.integer);
    if (isUnsigned(x.expr->type) || x.expr->type == Type::Bool)
      return x;
    ExprRef e = x.expr;
    checkNegation(cx, e, site.at);
    return Value::scalar(makeUnary(UnaryOp::Abs, e, e->type, site.at));
  };
  return one(site.args[0]);
}

Value doMinMax(Context &cx, CallSite &site, bool isMin) {
  std::vector<Value> items = site.args;
  if (items.size() == 1 && (items[0].kind == Value::Tuple || items[0].kind == Value::Matrix))
    items = std::vector<Value>(items[0].items);
  if (items.empty())
    return error(cx, site.at, Problem::MinMaxOfNothing,
                 "`" + callName(site) + "` needs at least one value");
  Value result = items[0];
  for (size_t i = 1; i < items.size(); ++i) {
    result = minMax(cx, isMin, result, items[i], site.at);
    if (result.isPoison())
      return result;
  }
  if (!result.isNumber() && result.kind != Value::Matrix)
    return error(cx, site.at, Problem::MinMaxOfNoNumbers,
                 "`" + callName(site) + "` needs numbers, not " + describe(result));
  return result;
}

Value doAtan2(Context &cx, CallSite &site) {
  std::function<Value(const Value &, const Value &)> one = [&](const Value &y,
                                                               const Value &x) -> Value {
    if (x.kind == Value::Matrix || y.kind == Value::Matrix)
      return elementwise(cx, y, x, site.at, one);
    if (y.isExact() && x.isExact())
      return Value::exactFloat(evaluateAtan2(y.kind == Value::Float ? y.real : double(y.integer),
                                             x.kind == Value::Float ? x.real : double(x.integer)));
    std::vector<ExprRef> e;
    if (!commonType(cx, e, {y, x}, site.at, true))
      return Value();
    Type type = e[0]->type;
    return Value::scalar(makeBinary(hir::BinaryOp::Atan2, e[0], e[1], type, site.at));
  };
  return one(site.args[0], site.args[1]);
}

Value doPow(Context &cx, CallSite &site) {
  return binary(cx, ast::BinaryOp::Pow, site.args[0], site.args[1], site.at);
}

Value doBinaryOp(Context &cx, CallSite &site, ast::BinaryOp op) {
  return binary(cx, op, site.args[0], site.args[1], site.at);
}

/// `one` of two numbers, or of components at one place.
static Value ofPairs(Context &cx, const CallSite &site,
                     const std::function<Value(const Value &, const Value &)> &one) {
  std::function<Value(const Value &, const Value &)> each = [&](const Value &x, const Value &y) {
    return x.kind == Value::Matrix || y.kind == Value::Matrix ? elementwise(cx, x, y, site.at, each)
                                                              : one(x, y);
  };
  return each(site.args[0], site.args[1]);
}

Value doLogicalShift(Context &cx, CallSite &site) {
  return ofPairs(cx, site, [&](const Value &x, const Value &y) -> Value {
    ExprRef a = toRuntime(cx, x, site.at), b = toRuntime(cx, y, site.at);
    if (!a || !b)
      return Value();
    if (a->type == Type::Bool)
      a = makeCast(a, Type::I32, site.at);
    Type type = a->type;
    return Value::scalar(makeBinary(hir::BinaryOp::BitShr, a, b, type, site.at));
  });
}

/// CDiv or CMod of integers; of reals a division.
Value doRawDivision(Context &cx, CallSite &site, hir::BinaryOp op) {
  return ofPairs(cx, site, [&](const Value &x, const Value &y) -> Value {
    std::vector<ExprRef> e;
    if (!commonType(cx, e, {x, y}, site.at))
      return Value();
    Type type = e[0]->type;
    if (type == Type::Bool)
      return error(cx, site.at, Problem::RawDivisionOfTruths,
                   "`" + callName(site) + "` needs numbers");
    if (isFloat(type))
      return Value::scalar(makeBinary(hir::BinaryOp::Div, e[0], e[1], type, site.at));
    checkDivisor(cx, e[1], op == hir::BinaryOp::CMod, site.at);
    checkOverflow(cx, op, e, site.at);
    return Value::scalar(makeBinary(op, e[0], e[1], type, site.at));
  });
}

Value doLogicNot(Context &cx, CallSite &site) {
  return unary(cx, ast::UnaryOp::Not, site.args[0], site.at);
}

/// frexp(x): (m, e) with x = m * 2**e and |m| in [0.5, 1), as C's; for zeros, infinities and NaN
/// (x, 0). Works on the bits, so that it is exact and no target takes subnormal numbers for zeros.
Value doFrexp(Context &cx, CallSite &site) {
  SourceRange at = site.at;
  const Value &x = site.args[0];
  if (x.kind == Value::Matrix) {
    Value mantissas = x, exponents = x;
    for (size_t i = 0; i < mantissas.items.size(); ++i) {
      CallSite one = site;
      one.args[0] = mantissas.items[i];
      Value pair = doFrexp(cx, one);
      if (pair.isPoison())
        return pair;
      mantissas.items[i] = pair.items[0];
      exponents.items[i] = pair.items[1];
    }
    return Value::tuple({mantissas, exponents});
  }
  if (x.isExact()) {
    int exponent = 0;
    const double mantissa =
        std::frexp(x.kind == Value::Float ? x.real : double(x.integer), &exponent);
    return Value::tuple(
        {Value::exactFloat(mantissa), Value::exactInt(std::isfinite(mantissa) ? exponent : 0)});
  }
  std::vector<ExprRef> e;
  if (!commonType(cx, e, {x}, at, true))
    return Value();
  if (cx.isHost())
    return error(cx, at, Problem::FrexpOnHost,
                 "`qd.frexp` cannot be computed when kernels are built");
  const Type type = e[0]->type;
  if (saturates(type)) { // f8e4m3 has numbers where others have infinities
    CallSite wide = site;
    wide.args[0] = Value::scalar(makeCast(e[0], Type::F32, at));
    Value pair = doFrexp(cx, wide);
    if (!pair.isPoison())
      pair.items[0] = Value::scalar(makeCast(pair.items[0].expr, type, at));
    return pair;
  }
  // Bits are looked at in words of at least 32.
  const bool isDouble = type == Type::F64;
  const Type word = isDouble ? Type::U64 : Type::U32;
  const unsigned mantissaBits = digitsOf(type) - 1;
  const unsigned width = bitWidth(type);
  const unsigned exponentBits = width - 1 - mantissaBits;
  const Exact bias = (Exact(1) << (exponentBits - 1)) - 1;
  using B = hir::BinaryOp;
  auto keep = [&](ExprRef v) { return stable(cx, Value::scalar(std::move(v)), at).expr; };
  auto number = [&](Exact n) { return makeInt(n, word, at); };
  auto bin = [&](B op, ExprRef a, ExprRef b) { return makeBinary(op, a, b, word, at); };
  auto i32 = [&](Exact n) { return makeInt(n, Type::I32, at); };

  const ExprRef value = keep(e[0]);
  const Type same = isDouble ? Type::U64 : isSmallReal(type) ? Type::U16 : Type::U32;
  const ExprRef constant = stopGradient(cx, Value::scalar(value), at).expr;
  ExprRef bits = makeExpr(same, hir::Bitcast{take(cx, constant)}, at);
  bits = keep(makeCast(bits, word, at));
  const ExprRef field = keep(bin(B::And, bin(B::BitShr, bits, number(mantissaBits)),
                                 number((Exact(1) << exponentBits) - 1)));
  const ExprRef fraction = keep(bin(B::And, bits, number((Exact(1) << mantissaBits) - 1)));
  auto isField = [&](Exact n) { return makeBinary(B::Eq, field, number(n), Type::Bool, at); };
  const ExprRef isSmall = keep(isField(0));
  // Subnormal: the leading one moves to where the exponent's last bit is.
  const Exact wordWidth = isDouble ? 64 : 32;
  const ExprRef zeros = makeUnary(UnaryOp::Clz, fraction, Type::I32, at);
  const ExprRef shift = keep(makeSelect(
      isSmall, makeBinary(B::Sub, zeros, i32(wordWidth - 1 - mantissaBits), Type::I32, at), i32(0),
      at));
  const ExprRef moved =
      bin(B::And, bin(B::Shl, fraction, shift), number((Exact(1) << mantissaBits) - 1));
  const ExprRef exponent =
      makeBinary(B::Sub, makeSelect(isSmall, i32(1), makeCast(field, Type::I32, at), at),
                 makeBinary(B::Add, shift, i32(bias - 1), Type::I32, at), Type::I32, at);
  const ExprRef sign = bin(B::And, bits, number(Exact(1) << (width - 1)));
  ExprRef result = bin(B::Or, bin(B::Or, sign, number((bias - 1) << mantissaBits)), moved);
  result = makeExpr(type, hir::Bitcast{take(cx, makeCast(result, same, at))}, at);
  const ExprRef isZero = makeBinary(
      B::And, isSmall, makeBinary(B::Eq, fraction, number(0), Type::Bool, at), Type::Bool, at);
  const ExprRef isOther =
      keep(makeBinary(B::Or, isZero, isField((Exact(1) << exponentBits) - 1), Type::Bool, at));
  Value mantissa = Value::scalar(makeSelect(isOther, value, result, at));
  if (cx.derivative != Derivative::None)
    mantissa =
        callLibrary(cx, "math", "_mantissa_of", {Value::scalar(value), std::move(mantissa)}, at);
  return Value::tuple(
      {std::move(mantissa), Value::scalar(makeSelect(isOther, i32(0), exponent, at))});
}

/// popcnt, clz, ffs: i32 for every width.
Value doBits(Context &cx, CallSite &site, UnaryOp op) {
  SourceRange at = site.at;
  std::function<Value(const Value &)> one = [&](const Value &x) -> Value {
    if (x.kind == Value::Matrix)
      return mapItems(x, one);
    ExprRef e = toRuntime(cx, x, at);
    if (!e)
      return Value();
    if (e->type == Type::Bool)
      e = makeCast(e, Type::I32, at);
    return Value::scalar(makeUnary(op, e, Type::I32, at));
  };
  return one(site.args[0]);
}

/// fns(mask, base, offset), as CUDA's: the place of the offset-th set bit of `mask` from
/// `base` upwards, downwards where `offset` is negative, `base` itself counting; for offset 0
/// only `base` is looked at. 0xffffffff where there is none, or no bit `base`.
Value findNthSet(Context &cx, CallSite &site) {
  SourceRange at = site.at;
  using B = hir::BinaryOp;
  ExprRef mask = convert(cx, site.args[0], Type::U32, at);
  ExprRef base = convert(cx, site.args[1], Type::I32, at);
  ExprRef offset = convert(cx, site.args[2], Type::I32, at);
  if (!mask || !base || !offset)
    return Value();
  if (cx.isHost())
    return error(cx, at, Problem::FnsOnHost, "`fns` cannot be computed when kernels are built");
  auto keep = [&](ExprRef e) { return snapshot(cx, Value::scalar(std::move(e)), at).expr; };
  auto i32 = [&](Exact n) { return makeInt(n, Type::I32, at); };
  auto u32 = [&](Exact n) { return makeInt(n, Type::U32, at); };
  auto bin = [&](B op, ExprRef a, ExprRef b, Type type) { return makeBinary(op, a, b, type, at); };
  auto choose = [&](ExprRef c, ExprRef a, ExprRef b) { return makeSelect(c, a, b, at); };
  mask = keep(mask);
  base = keep(base);
  offset = keep(offset);
  ExprRef isUp = keep(bin(B::Gt, offset, i32(0), Type::Bool));
  ExprRef isDown = keep(bin(B::Lt, offset, i32(0), Type::Bool));
  ExprRef inside = bin(B::Lt, makeCast(base, Type::U32, at), u32(32), Type::Bool);
  // The bits that count, and which of them from below.
  ExprRef from = bin(B::Shl, u32(0xffffffff), base, Type::U32);
  ExprRef upTo = bin(B::BitShr, u32(0xffffffff), bin(B::Sub, i32(31), base, Type::I32), Type::U32);
  ExprRef window = choose(isUp, from, choose(isDown, upTo, bin(B::Shl, u32(1), base, Type::U32)));
  ExprRef bits = keep(bin(B::And, mask, window, Type::U32));
  ExprRef count = keep(makeUnary(UnaryOp::Popcnt, bits, Type::I32, at));
  ExprRef left = keep(choose(isUp, bin(B::Sub, offset, i32(1), Type::I32),
                             choose(isDown, bin(B::Add, count, offset, Type::I32), i32(0))));
  ExprRef found = keep(
      bin(B::And, inside,
          bin(B::Lt, makeCast(left, Type::U32, at), makeCast(count, Type::U32, at), Type::Bool),
          Type::Bool));
  // A binary search: each round tests if the bit lies in the lower half.
  ExprRef place = u32(0);
  for (unsigned width = 16; width; width /= 2) {
    ExprRef half =
        bin(B::And, bin(B::BitShr, bits, place, Type::U32), u32((1u << width) - 1), Type::U32);
    ExprRef below = keep(makeUnary(UnaryOp::Popcnt, half, Type::I32, at));
    ExprRef isAbove = keep(bin(B::Ge, left, below, Type::Bool));
    left = keep(bin(B::Sub, left, choose(isAbove, below, i32(0)), Type::I32));
    place = keep(bin(B::Add, place, choose(isAbove, u32(width), u32(0)), Type::U32));
  }
  return Value::scalar(choose(found, place, u32(0xffffffff)));
}

} // namespace sextant::sema
