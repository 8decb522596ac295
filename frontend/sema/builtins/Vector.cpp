// Functions of vectors and matrices, and those of numbers that are methods, too.
#include "frontend/sema/builtins/Arithmetic.h"
#include "frontend/sema/builtins/Builtins.h"
#include "frontend/sema/builtins/Shared.h"
#include "frontend/sema/eval/Functions.h"

#include <cmath>

namespace sextant::sema {

using hir::Type;
using hir::UnaryOp;

/// `one` of a number, or of each component.
static Value eachOf(const Value &x, const std::function<Value(const Value &)> &one) {
  return x.kind == Value::Matrix ? mapItems(x, one) : one(x);
}

/// A function of reals. An integer is converted first.
static Value real(const Arithmetic &math, UnaryOp op, const Value &x) {
  std::vector<ExprRef> e;
  if (!commonType(math.cx, e, {x}, math.at, true))
    return Value();
  const Type type = e[0]->type;
  return math.stable(Value::scalar(makeUnary(op, e[0], type, math.at)));
}

/// The sum of the components.
static Value sumOf(const Arithmetic &math, const Value &v) {
  if (v.kind != Value::Matrix)
    return v;
  Value total = v.items[0];
  for (size_t i = 1; i < v.items.size(); ++i)
    total = math.add(total, v.items[i]);
  return total;
}

//===--- Of numbers, or component by component ------------------------------===//

Value doFract(Context &cx, CallSite &site) {
  const Arithmetic math{cx, site.at};
  auto floor = [&](const Value &x) { return real(math, UnaryOp::Floor, x); };
  return math.sub(site.args[0], eachOf(site.args[0], floor));
}

Value doSign(Context &cx, CallSite &site) {
  return eachOf(site.args[0], [&](const Value &x) -> Value {
    ExprRef e = toRuntime(cx, x, site.at);
    if (!e)
      return Value();
    const Type type = e->type;
    auto number = [&](int n) { return convert(cx, Value::exactInt(n), type, site.at); };
    const ExprRef zero = number(0), minus = isUnsigned(type) ? zero : number(-1);
    auto is = [&](hir::BinaryOp op) { return makeBinary(op, e, zero, Type::Bool, site.at); };
    ExprRef below = makeSelect(is(hir::BinaryOp::Lt), minus, zero, site.at);
    return Value::scalar(makeSelect(is(hir::BinaryOp::Gt), number(1), below, site.at));
  });
}

Value doFma(Context &cx, CallSite &site) {
  const Arithmetic math{cx, site.at};
  return math.add(math.mul(site.args[0], site.args[1]), site.args[2]);
}

Value doTimes(Context &cx, CallSite &site, double factor) {
  return binary(cx, ast::BinaryOp::Mul, site.args[0], Value::exactFloat(factor), site.at);
}

Value doIsNan(Context &cx, CallSite &site) {
  return compare(cx, ast::CompareOp::Ne, site.args[0], site.args[0], site.at);
}

Value doIsInf(Context &cx, CallSite &site) {
  return eachOf(site.args[0], [&](const Value &x) -> Value {
    std::vector<ExprRef> e;
    if (!commonType(cx, e, {x}, site.at, true))
      return Value();
    // An infinity that is written in 8 bits is the largest number.
    if (saturates(e[0]->type))
      e[0] = makeCast(e[0], Type::F32, site.at);
    const Type type = e[0]->type;
    const ExprRef magnitude = makeUnary(UnaryOp::Abs, e[0], type, site.at);
    return Value::scalar(makeBinary(hir::BinaryOp::Eq, magnitude,
                                    makeFloat(INFINITY, type, site.at), Type::Bool, site.at));
  });
}

/// Python's `n.bit_length()`, of what is known when kernels are built: the bits of |n|.
Value doBitLength(Context &, CallSite &site) {
  Exact length = 0;
  for (Exact rest = site.integer(0) < 0 ? -site.integer(0) : site.integer(0); rest > 0; rest /= 2)
    ++length;
  return Value::exactInt(length);
}

//===--- Of vectors and matrices -------------------------------------------===//

Value doComponentSum(Context &cx, CallSite &site) { return sumOf({cx, site.at}, site.args[0]); }

Value doAnyAllComponents(Context &cx, CallSite &site, hir::BinaryOp op) {
  ExprRef result;
  for (const Value &item : site.args[0].items) {
    ExprRef e = toBool(cx, item, site.at);
    if (!e)
      return Value();
    result = result ? makeBinary(op, result, e, Type::Bool, site.at) : e;
  }
  return Value::scalar(result);
}

/// The sum of the products of the components. With one argument, of the squares.
Value doProducts(Context &cx, CallSite &site) {
  const Arithmetic math{cx, site.at};
  return sumOf(math, math.mul(site.args[0], site.args.back()));
}

/// `op` of the sum of squares and `more`, if that is given.
static Value norm(const Arithmetic &math, const Value &v, const Value *more, UnaryOp op) {
  Value square = sumOf(math, math.mul(v, v));
  if (more)
    square = math.add(square, *more);
  return square.isPoison() ? square : real(math, op, square);
}

Value doNorm(Context &cx, CallSite &site, UnaryOp op) {
  const bool hasMore = site.given.size() > 1 && site.given[1];
  return norm({cx, site.at}, site.args[0], hasMore ? &site.args[1] : nullptr, op);
}

Value doNormalized(Context &cx, CallSite &site) {
  const Arithmetic math{cx, site.at};
  Value length = norm(math, site.args[0], nullptr, UnaryOp::Sqrt);
  if (site.given.size() > 1 && site.given[1])
    length = math.add(length, site.args[1]);
  return math.div(site.args[0], length);
}

Value doDot(Context &cx, CallSite &site) { return matMul(cx, site.args[0], site.args[1], site.at); }

Value doCross(Context &cx, CallSite &site) {
  const Arithmetic math{cx, site.at};
  const Value &a = site.args[0], &b = site.args[1];
  auto turned = [&](size_t j, size_t k) {
    return math.sub(math.mul(a.items[j], b.items[k]), math.mul(a.items[k], b.items[j]));
  };
  if (a.rows == 2 && b.rows == 2)
    return turned(0, 1);
  if (a.rows != 3 || b.rows != 3)
    return error(cx, site.at, Problem::CrossSizeWrong,
                 "`cross` needs vectors of 3 (or 2) components");
  return Value::matrix(3, 1, true, {turned(1, 2), turned(2, 0), turned(0, 1)});
}

/// `qd.outer`: of vectors their outer product; of numbers it changes tiles, see eval/Tiles.cpp.
Value doOuter(Context &cx, CallSite &site) {
  if (site.args[0].isNumber() && site.args[1].isNumber())
    return error(cx, site.at, Problem::TileChangedOtherwise,
                 "the outer product of two numbers of each thread is for tiles",
                 "write `tile -= qd.outer(a, b)`");
  for (const Value &arg : site.args)
    if (arg.kind != Value::Matrix || !arg.vector)
      return error(cx, site.at, Problem::VectorNeeded,
                   "`qd.outer` needs vectors, not " + describe(arg));
  return callLibrary(cx, "math", "_outer_product",
                     {stable(cx, site.args[0], site.at), stable(cx, site.args[1], site.at)},
                     site.at);
}

Value transposed(const Value &m) {
  std::vector<Value> items;
  for (unsigned col = 0; col < m.cols; ++col)
    for (unsigned row = 0; row < m.rows; ++row)
      items.push_back(m.items[row * m.cols + col]);
  return Value::matrix(m.cols, m.rows, false, std::move(items));
}

Value doTranspose(Context &, CallSite &site) { return transposed(site.args[0]); }

Value doTrace(Context &cx, CallSite &site) {
  const Arithmetic math{cx, site.at};
  const Value &m = site.args[0];
  Value total = m.items[0];
  for (unsigned i = 1; i < m.rows; ++i)
    total = math.add(total, m.items[i * m.cols + i]);
  return total;
}

Value doInLibrary(Context &cx, CallSite &site) {
  return callLibrary(cx, "math", "_" + std::string(site.name), site.args, site.at);
}

Value doUnsupported(Context &cx, CallSite &site) {
  return error(cx, site.at, Problem::MethodNotSupported,
               "`" + std::string(site.name) + "` is not supported on " + describe(site.args[0]));
}

} // namespace sextant::sema
