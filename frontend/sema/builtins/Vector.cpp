// Functions of vectors and matrices, as methods (`v.norm()`) and by name (`qd.math.dot`).
#include "frontend/sema/Context.h"
#include "frontend/sema/builtins/Builtins.h"
#include "frontend/sema/builtins/Shared.h"
#include "frontend/sema/eval/Calls.h"
#include "frontend/sema/values/Convert.h"
#include "frontend/sema/values/Operators.h"

#include <algorithm>
#include <cmath>

namespace sextant::sema {

static Value eliminate(Context &cx, const std::string &name, const Value &matrix, SourceRange at);

using ast::BinaryOp;
using hir::Type;
using hir::UnaryOp;

bool isVectorMethod(std::string_view name) {
  static constexpr std::string_view kMethods[] = {
      "fract",         "sign",      "clamp",   "mix",        "fma",        "degrees",   "radians",
      "step",          "isnan",     "isinf",   "smoothstep", "max",        "min",       "cast",
      "dot",           "cross",     "norm",    "norm_sqr",   "normalized", "normalize", "length",
      "outer_product", "transpose", "trace",   "inverse",    "sum",        "any",       "all",
      "determinant",   "distance",  "reflect", "fill",       "norm_inv",   "cols",      "rows"};
  return std::find(std::begin(kMethods), std::end(kMethods), name) != std::end(kMethods);
}

Value doVectorMethod(Context &cx, CallSite &site) {
  std::vector<Value> args;
  for (size_t i = 1; i < site.args.size(); ++i)
    if (site.given[i])
      args.push_back(site.args[i]);
  std::string name(site.builtin->name);
  name = name.substr(name.rfind('.') + 1);
  return vectorMethod(cx, name, site.args[0], std::move(args), site.at);
}

Value vectorMethod(Context &cx, const std::string &name, const Value &given,
                   std::vector<Value> args, SourceRange at) {
  Value self = given.kind == Value::Tuple && name != "index" ? toMatrix(cx, given, at) : given;
  if (self.isPoison())
    return self;
  self = stable(cx, std::move(self), at);
  for (Value &arg : args)
    arg = stable(cx, std::move(arg), at);
  auto call = [&](UnaryOp op, const Value &x) -> Value {
    std::vector<ExprRef> e;
    if (!commonType(cx, e, {x}, at, true))
      return Value();
    Type type = e[0]->type;
    return stable(cx, Value::scalar(makeUnary(op, e[0], type, at)), at);
  };
  auto add = [&](const Value &a, const Value &b) { return binary(cx, BinaryOp::Add, a, b, at); };
  auto sub = [&](const Value &a, const Value &b) { return binary(cx, BinaryOp::Sub, a, b, at); };
  auto mul = [&](const Value &a, const Value &b) { return binary(cx, BinaryOp::Mul, a, b, at); };
  auto div = [&](const Value &a, const Value &b) { return binary(cx, BinaryOp::Div, a, b, at); };
  auto sum = [&](const Value &v) {
    if (v.kind != Value::Matrix)
      return v;
    Value total = v.items[0];
    for (size_t i = 1; i < v.items.size(); ++i)
      total = add(total, v.items[i]);
    return total;
  };
  bool isMatrix = self.kind == Value::Matrix;
  auto need = [&](size_t n) {
    if (args.size() == n)
      return true;
    error(cx, at,
          "`" + name + "` takes " + std::to_string(n) + " argument" + (n == 1 ? "" : "s") +
              " here");
    return false;
  };
  auto needVector = [&](const Value &v) {
    if (v.kind == Value::Matrix && v.vector)
      return true;
    if (!v.isPoison())
      error(cx, at, "`" + name + "` needs a vector, not " + describe(v));
    return false;
  };

  // Scalars take these too.
  if (name == "fract") {
    Value whole = isMatrix ? mapItems(self, [&](const Value &x) { return call(UnaryOp::Floor, x); })
                           : call(UnaryOp::Floor, self);
    return sub(self, whole);
  }
  if (name == "sign") {
    std::function<Value(const Value &)> one = [&](const Value &x) -> Value {
      if (x.kind == Value::Matrix)
        return mapItems(x, one);
      ExprRef e = toRuntime(cx, x, at);
      if (!e)
        return Value();
      Type type = e->type;
      ExprRef zero = convert(cx, Value::exactInt(0), type, at),
              plus = convert(cx, Value::exactInt(1), type, at);
      ExprRef minus = isUnsigned(type) ? zero : convert(cx, Value::exactInt(-1), type, at);
      ExprRef up = makeBinary(hir::BinaryOp::Gt, e, zero, Type::Bool, at);
      ExprRef down = makeBinary(hir::BinaryOp::Lt, e, zero, Type::Bool, at);
      return Value::scalar(makeSelect(up, plus, makeSelect(down, minus, zero, at), at));
    };
    return one(self);
  }
  if (name == "clamp")
    return need(2) ? minMax(cx, true, minMax(cx, false, self, args[0], at), args[1], at) : Value();
  if (name == "mix") // a * (1 - t) + b * t
    return need(2) ? add(mul(self, sub(Value::exactInt(1), args[1])), mul(args[0], args[1]))
                   : Value();
  if (name == "fma")
    return need(2) ? add(mul(self, args[0]), args[1]) : Value();
  if (name == "degrees")
    return mul(self, Value::exactFloat(57.29577951308232));
  if (name == "radians")
    return mul(self, Value::exactFloat(0.017453292519943295));
  if (name == "step") {
    if (!need(1))
      return Value();
    Value below = compare(cx, ast::CompareOp::Lt, args[0], self, at);
    std::function<Value(const Value &)> one = [&](const Value &x) -> Value {
      if (x.kind == Value::Matrix)
        return mapItems(x, one);
      ExprRef c = toBool(cx, x, at);
      return c ? Value::scalar(makeSelect(c, makeFloat(0, cx.options.defaultFloat, at),
                                          makeFloat(1, cx.options.defaultFloat, at), at))
               : Value();
    };
    return below.isPoison() ? below : one(below);
  }
  if (name == "smoothstep") {
    if (!need(2))
      return Value();
    Value t = div(sub(args[1], self), sub(args[0], self));
    t = stable(
        cx,
        minMax(cx, true, minMax(cx, false, t, Value::exactFloat(0), at), Value::exactFloat(1), at),
        at);
    return mul(mul(t, t), sub(Value::exactFloat(3), mul(Value::exactFloat(2), t)));
  }
  if (name == "isnan")
    return compare(cx, ast::CompareOp::Ne, self, self, at);
  if (name == "isinf") {
    std::function<Value(const Value &)> one = [&](const Value &x) -> Value {
      if (x.kind == Value::Matrix)
        return mapItems(x, one);
      std::vector<ExprRef> e;
      if (!commonType(cx, e, {x}, at, true))
        return Value();
      Type type = e[0]->type;
      ExprRef magnitude = makeUnary(UnaryOp::Abs, e[0], type, at);
      return Value::scalar(
          makeBinary(hir::BinaryOp::Eq, magnitude, makeFloat(INFINITY, type, at), Type::Bool, at));
    };
    return one(self);
  }
  if (name == "max" || name == "min") {
    if (!isMatrix)
      return error(cx, at, "`" + name + "` is a method of vectors");
    Value best = self.items[0];
    for (size_t i = 1; i < self.items.size(); ++i)
      best = minMax(cx, name == "min", best, self.items[i], at);
    return best;
  }
  if (name == "cast" && args.size() == 1) {
    Type type;
    if (!dtypeOf(args[0], cx.options, type))
      return error(cx, at, "`cast` needs a dtype, not " + describe(args[0]));
    return castItems(cx, self, type, at);
  }
  if (!isVectorMethod(name))
    return error(cx, at, describe(given) + " has no `" + name + "`");
  if (!isMatrix)
    return error(cx, at, "`" + name + "` needs a vector or a matrix, not " + describe(given));

  if (name == "sum")
    return sum(self);
  if (name == "any" || name == "all") {
    ExprRef result;
    for (const Value &item : self.items) {
      ExprRef e = toBool(cx, item, at);
      if (!e)
        return Value();
      result = result ? makeBinary(name == "any" ? hir::BinaryOp::Or : hir::BinaryOp::And, result,
                                   e, Type::Bool, at)
                      : e;
    }
    return Value::scalar(result);
  }
  if (name == "dot")
    return need(1) && needVector(self) && needVector(args[0]) ? matMul(cx, self, args[0], at)
                                                              : Value();
  if (name == "norm_sqr")
    return sum(mul(self, self));
  if (name == "norm" || name == "length" || name == "norm_inv") {
    Value square = sum(mul(self, self));
    if (!args.empty())
      square = add(square, args[0]);
    return square.isPoison() ? square
                             : call(name == "norm_inv" ? UnaryOp::Rsqrt : UnaryOp::Sqrt, square);
  }
  if (name == "distance") {
    if (!need(1))
      return Value();
    Value d = sub(self, args[0]);
    return d.isPoison() ? d : vectorMethod(cx, "norm", d, {}, at);
  }
  if (name == "normalized" || name == "normalize") {
    Value n = vectorMethod(cx, "norm", self, {}, at);
    if (!args.empty())
      n = add(n, args[0]);
    return div(self, n);
  }
  if (name == "reflect") { // v - 2 (v . n) n
    if (!need(1) || !needVector(args[0]))
      return Value();
    Value d = matMul(cx, self, args[0], at);
    return sub(self, mul(mul(Value::exactInt(2), d), args[0]));
  }
  if (name == "cross") {
    if (!need(1) || !needVector(self) || !needVector(args[0]))
      return Value();
    const Value &a = self, &b = args[0];
    if (a.rows == 2 && b.rows == 2)
      return sub(mul(a.items[0], b.items[1]), mul(a.items[1], b.items[0]));
    if (a.rows != 3 || b.rows != 3)
      return error(cx, at, "`cross` needs vectors of 3 (or 2) components");
    std::vector<Value> items;
    for (int i = 0; i < 3; ++i) {
      int j = (i + 1) % 3, k = (i + 2) % 3;
      items.push_back(sub(mul(a.items[j], b.items[k]), mul(a.items[k], b.items[j])));
    }
    return Value::matrix(3, 1, true, std::move(items));
  }
  if (name == "outer_product") {
    if (!need(1) || !needVector(self) || !needVector(args[0]))
      return Value();
    std::vector<Value> items;
    for (const Value &a : self.items)
      for (const Value &b : args[0].items)
        items.push_back(mul(a, b));
    return Value::matrix(self.rows, args[0].rows, false, std::move(items));
  }
  if (name == "transpose") {
    std::vector<Value> items;
    for (unsigned c = 0; c < self.cols; ++c)
      for (unsigned r = 0; r < self.rows; ++r)
        items.push_back(self.items[r * self.cols + c]);
    return Value::matrix(self.cols, self.rows, false, std::move(items));
  }
  if (name == "trace") {
    if (self.rows != self.cols)
      return error(cx, at, "`trace` needs a square matrix");
    Value total = self.items[0];
    for (unsigned i = 1; i < self.rows; ++i)
      total = add(total, self.items[i * self.cols + i]);
    return total;
  }
  if (name == "determinant" || name == "inverse") {
    unsigned n = self.rows;
    if (self.vector || n != self.cols || n > 12)
      return error(cx, at, "`" + name + "` needs a square matrix of at most 12 rows");
    if (n > 4)
      return eliminate(cx, name, self, at);
    // Minors by expansion along the first row of what is left.
    std::function<Value(std::vector<unsigned>, std::vector<unsigned>)> minor =
        [&](std::vector<unsigned> rows, std::vector<unsigned> cols) -> Value {
      if (rows.empty())
        return Value::exactInt(1);
      if (rows.size() == 1)
        return self.items[rows[0] * n + cols[0]];
      Value total;
      std::vector<unsigned> rest(rows.begin() + 1, rows.end());
      for (size_t k = 0; k < cols.size(); ++k) {
        auto others = cols;
        others.erase(others.begin() + long(k));
        Value term = mul(self.items[rows[0] * n + cols[k]], minor(rest, others));
        total = k == 0 ? term : k % 2 ? sub(total, term) : add(total, term);
      }
      return stable(cx, std::move(total), at);
    };
    std::vector<unsigned> all;
    for (unsigned i = 0; i < n; ++i)
      all.push_back(i);
    Value det = stable(cx, minor(all, all), at);
    if (name == "determinant" || det.isPoison())
      return det;
    Value reciprocal = stable(cx, div(Value::exactInt(1), det), at);
    std::vector<Value> items;
    for (unsigned r = 0; r < n; ++r)
      for (unsigned c = 0; c < n; ++c) {
        auto rows = all, cols = all;
        rows.erase(rows.begin() + c);
        cols.erase(cols.begin() + r);
        Value cofactor = mul(minor(rows, cols), reciprocal);
        items.push_back((r + c) % 2 ? unary(cx, ast::UnaryOp::Neg, cofactor, at) : cofactor);
      }
    return Value::matrix(n, n, false, std::move(items));
  }
  return error(cx, at, "`" + name + "` is not supported on " + describe(given));
}

/// Larger matrices, by elimination with pivots: the library's.
Value eliminate(Context &cx, const std::string &name, const Value &matrix, SourceRange at) {
  std::vector<ExprRef> items;
  if (!commonType(cx, items, matrix.items, at, true))
    return Value();
  const Type type = items[0]->type;
  Value wide = matrix;
  for (size_t i = 0; i < items.size(); ++i) // halves are too coarse to eliminate in
    wide.items[i] = Value::scalar(type == Type::F16 ? makeCast(items[i], Type::F32, at) : items[i]);
  Value result = callLibrary(cx, "math", "_" + name, {std::move(wide)}, at);
  if (type != Type::F16 || result.isPoison())
    return result;
  return castTo(cx, result, ElementType{type, matrix.rows, matrix.cols, name == "inverse", false},
                at);
}

} // namespace sextant::sema
