// Arithmetic functions: `qd.sqrt`, `min`, `qd.math.popcnt` …
#include "frontend/sema/Analyzer.h"

#include <cmath>

namespace sextant::sema {

using hir::Type;
using hir::UnaryOp;

namespace {
double evalUnary(UnaryOp op, double x) {
  switch (op) {
  case UnaryOp::Sqrt:
    return std::sqrt(x);
  case UnaryOp::Rsqrt:
    return 1 / std::sqrt(x);
  case UnaryOp::Exp:
    return std::exp(x);
  case UnaryOp::Exp2:
    return std::exp2(x);
  case UnaryOp::Log:
    return std::log(x);
  case UnaryOp::Log2:
    return std::log2(x);
  case UnaryOp::Sin:
    return std::sin(x);
  case UnaryOp::Cos:
    return std::cos(x);
  case UnaryOp::Tan:
    return std::tan(x);
  case UnaryOp::Asin:
    return std::asin(x);
  case UnaryOp::Acos:
    return std::acos(x);
  case UnaryOp::Atan:
    return std::atan(x);
  case UnaryOp::Sinh:
    return std::sinh(x);
  case UnaryOp::Cosh:
    return std::cosh(x);
  case UnaryOp::Tanh:
    return std::tanh(x);
  case UnaryOp::Floor:
    return std::floor(x);
  case UnaryOp::Ceil:
    return std::ceil(x);
  case UnaryOp::Round:
    return std::nearbyint(x);
  case UnaryOp::Trunc:
    return std::trunc(x);
  default:
    return x;
  }
}
} // namespace

Value KernelAnalyzer::doUnaryMath(CallSite &site) {
  UnaryOp op = UnaryOp(site.builtin->data);
  std::function<Value(const Value &)> one = [&](const Value &x) -> Value {
    if (x.kind == Value::Matrix)
      return mapItems(x, one);
    if (x.isExact()) {
      double r = evalUnary(op, x.kind == Value::Float ? x.real : double(x.integer));
      return Value::exactFloat(r);
    }
    std::vector<ExprRef> e;
    if (!commonType(e, {x}, site.at, true))
      return Value();
    Type type = e[0]->type;
    return Value::scalar(makeUnary(op, e[0], type, site.at));
  };
  return one(site.args[0]);
}

Value KernelAnalyzer::doRounding(CallSite &site) {
  UnaryOp op = UnaryOp(site.builtin->data);
  std::function<Value(const Value &)> one = [&](const Value &x) -> Value {
    if (x.kind == Value::Matrix)
      return mapItems(x, one);
    if (x.kind == Value::Float)
      return Value::exactFloat(evalUnary(op, x.real));
    if (x.kind == Value::Scalar && isFloat(x.expr->type))
      return Value::scalar(makeUnary(op, x.expr, x.expr->type, site.at));
    if (x.isNumber())
      return x; // integers are whole already
    return error(site.at, "`" + callName(site) + "` needs a number, not " + describe(x));
  };
  Value result = one(site.args[0]);
  if (site.given.size() > 1 && site.given[1] && !result.isPoison()) {
    if (site.args[1].kind != Value::Type)
      return error(site.at, "a dtype is needed, not " + describe(site.args[1]));
    ElementType type = site.args[1].type.element;
    if (result.kind == Value::Matrix)
      return mapItems(result, [&](const Value &v) { return castTo(v, type, site.at); });
    return castTo(result, type, site.at);
  }
  return result;
}

Value KernelAnalyzer::doAbs(CallSite &site) {
  std::function<Value(const Value &)> one = [&](const Value &x) -> Value {
    if (x.kind == Value::Matrix)
      return mapItems(x, one);
    if (x.kind == Value::Float)
      return Value::exactFloat(std::fabs(x.real));
    if (x.isExact())
      return Value::exactInt(x.integer < 0 ? -x.integer : x.integer);
    if (x.kind != Value::Scalar)
      return error(site.at, "`abs` needs a number, not " + describe(x));
    if (isUnsigned(x.expr->type) || x.expr->type == Type::Bool)
      return x;
    return Value::scalar(makeUnary(UnaryOp::Abs, x.expr, x.expr->type, site.at));
  };
  return one(site.args[0]);
}

Value KernelAnalyzer::doMinMax(CallSite &site) {
  bool isMin = site.builtin->data == 1;
  std::vector<Value> items = site.args;
  if (items.size() == 1 && (items[0].kind == Value::Tuple || items[0].kind == Value::Matrix))
    items = std::vector<Value>(items[0].items);
  if (items.empty())
    return error(site.at, "`" + callName(site) + "` needs at least one value");
  Value result = items[0];
  for (size_t i = 1; i < items.size(); ++i) {
    result = minMax(isMin, result, items[i], site.at);
    if (result.isPoison())
      return result;
  }
  if (!result.isNumber() && result.kind != Value::Matrix)
    return error(site.at, "`" + callName(site) + "` needs numbers, not " + describe(result));
  return result;
}

Value KernelAnalyzer::doAtan2(CallSite &site) {
  std::function<Value(const Value &, const Value &)> one = [&](const Value &y,
                                                               const Value &x) -> Value {
    if (x.kind == Value::Matrix || y.kind == Value::Matrix)
      return elementwise(y, x, site.at, one);
    if (y.isExact() && x.isExact())
      return Value::exactFloat(std::atan2(y.kind == Value::Float ? y.real : double(y.integer),
                                          x.kind == Value::Float ? x.real : double(x.integer)));
    std::vector<ExprRef> e;
    if (!commonType(e, {y, x}, site.at, true))
      return Value();
    Type type = e[0]->type;
    return Value::scalar(makeBinary(hir::BinaryOp::Atan2, e[0], e[1], type, site.at));
  };
  return one(site.args[0], site.args[1]);
}

Value KernelAnalyzer::doPow(CallSite &site) {
  return binary(ast::BinaryOp::Pow, site.args[0], site.args[1], site.at);
}

Value KernelAnalyzer::doBinaryOp(CallSite &site) {
  int data = site.builtin->data;
  SourceRange at = site.at;
  if (data >= 0)
    return binary(ast::BinaryOp(data), site.args[0], site.args[1], at);
  std::function<Value(const Value &, const Value &)> one = [&](const Value &x,
                                                               const Value &y) -> Value {
    if (x.kind == Value::Matrix || y.kind == Value::Matrix)
      return elementwise(x, y, at, one);
    if (data == -1) { // logical shift right
      ExprRef a = toRuntime(x, at), b = toRuntime(y, at);
      if (!a || !b)
        return Value();
      if (!isInteger(a->type) || isFloat(b->type))
        return error(at, "`qd.bit_shr` needs integers, not " +
                             spell(isInteger(a->type) ? b->type : a->type));
      Type type = a->type;
      return Value::scalar(makeBinary(hir::BinaryOp::BitShr, a, b, type, at));
    }
    std::vector<ExprRef> e;
    if (!commonType(e, {x, y}, at))
      return Value();
    Type type = e[0]->type;
    if (type == Type::Bool)
      return error(at, "`" + callName(site) + "` needs numbers");
    if (isFloat(type)) {
      if (data == -2)
        return Value::scalar(makeBinary(hir::BinaryOp::Div, e[0], e[1], type, at));
      return error(at, "`qd.raw_mod` needs integers");
    }
    checkDivisor(e[1], data != -2, at);
    return Value::scalar(
        makeBinary(data == -2 ? hir::BinaryOp::CDiv : hir::BinaryOp::CMod, e[0], e[1], type, at));
  };
  return one(site.args[0], site.args[1]);
}

Value KernelAnalyzer::doLogicNot(CallSite &site) {
  return unary(ast::UnaryOp::Not, site.args[0], site.at);
}

/// popcnt, clz, ffs: i32 for every width. fns: the n-th set bit from a base, as CUDA's.
Value KernelAnalyzer::doBits(CallSite &site) {
  SourceRange at = site.at;
  if (site.builtin->data >= 0) {
    std::function<Value(const Value &)> one = [&](const Value &x) -> Value {
      if (x.kind == Value::Matrix)
        return mapItems(x, one);
      ExprRef e = toRuntime(x, at);
      if (!e)
        return Value();
      if (e->type == Type::Bool)
        e = makeCast(e, Type::I32, at);
      if (!isInteger(e->type))
        return error(at, "`" + callName(site) + "` needs an integer, not " + spell(e->type),
                     "`qd.bit_cast` gives the bits of a real number as an integer");
      return Value::scalar(makeUnary(UnaryOp(site.builtin->data), e, Type::I32, at));
    };
    return one(site.args[0]);
  }
  // fns(mask, base, offset): offset > 0 looks up from base, < 0 down, 0 tests base
  // itself. The result is a bit's index, or 0xFFFFFFFF.
  ExprRef mask = convert(site.args[0], Type::U32, at);
  ExprRef base = convert(site.args[1], Type::I32, at);
  ExprRef offset = convert(site.args[2], Type::I32, at);
  if (!mask || !base || !offset)
    return Value();
  if (isHost())
    return error(at, "`fns` cannot be computed when kernels are built");
  using B = hir::BinaryOp;
  auto keep = [&](ExprRef e) { return snapshot(Value::scalar(std::move(e)), at).expr; };
  auto i32 = [&](Exact n) { return makeInt(n, Type::I32, at); };
  auto bin = [&](B op, ExprRef a, ExprRef b, Type type) { return makeBinary(op, a, b, type, at); };
  mask = keep(mask);
  base = keep(base);
  offset = keep(offset);
  unsigned found = newLocal("found", Type::I32), left = newLocal("left", Type::I32),
           bit = newLocal("bit", Type::I32);
  ExprRef foundRead = makeLocal(found, Type::I32, at), leftRead = makeLocal(left, Type::I32, at),
          bitRead = makeLocal(bit, Type::I32, at);
  ExprRef down = keep(bin(B::Lt, offset, i32(0), Type::Bool));
  ExprRef step = keep(makeSelect(down, i32(-1), i32(1), at));
  ExprRef zero = bin(B::Eq, offset, i32(0), Type::Bool);
  emit(at, hir::Assign{found, take(i32(-1))});
  emit(at, hir::Assign{bit, take(base)});
  emit(at, hir::Assign{left, take(makeSelect(zero, i32(1),
                                             makeUnary(UnaryOp::Abs, offset, Type::I32, at), at))});
  // Testing base alone is a search that ends after one bit.
  ExprRef inside = bin(B::And, bin(B::Ge, bitRead, i32(0), Type::Bool),
                       bin(B::Lt, bitRead, i32(32), Type::Bool), Type::Bool);
  ExprRef more = bin(B::And, inside, bin(B::Gt, leftRead, i32(0), Type::Bool), Type::Bool);
  hir::Block body;
  auto put = [&](unsigned local, ExprRef e) {
    hir::Stmt s;
    s.at = at;
    s.node = hir::Assign{local, take(std::move(e))};
    body.push_back(std::move(s));
  };
  unsigned set = newLocal("set", Type::I32);
  ExprRef setRead = makeLocal(set, Type::I32, at);
  put(set, makeCast(bin(B::And, bin(B::BitShr, mask, bitRead, Type::U32), makeInt(1, Type::U32, at),
                        Type::U32),
                    Type::I32, at));
  put(left, bin(B::Sub, leftRead, setRead, Type::I32));
  ExprRef hit = bin(B::And, bin(B::Ne, setRead, i32(0), Type::Bool),
                    bin(B::Eq, leftRead, i32(0), Type::Bool), Type::Bool);
  put(found, makeSelect(hit, bitRead, foundRead, at));
  put(left, makeSelect(bin(B::Eq, offset, i32(0), Type::Bool), i32(0), leftRead, at));
  put(bit, bin(B::Add, bitRead, step, Type::I32));
  emit(at, hir::While{take(more), std::move(body)});
  return Value::scalar(makeCast(foundRead, Type::U32, at));
}

} // namespace sextant::sema
