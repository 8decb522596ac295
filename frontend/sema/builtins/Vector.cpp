// Functions of vectors and matrices, as methods (`v.norm()`) and by name (`qd.math.dot`).
#include "frontend/sema/builtins/Builtins.h"
#include "frontend/sema/builtins/Shared.h"
#include "frontend/sema/builtins/VectorCall.h"
#include "frontend/sema/eval/Expressions.h"
#include "frontend/sema/eval/Unknown.h"
#include "frontend/sema/values/Convert.h"
#include "frontend/sema/values/Operators.h"

#include <algorithm>
#include <cmath>

namespace sextant::sema {

using ast::BinaryOp;
using hir::Type;
using hir::UnaryOp;

//===--- What they are made of ---------------------------------------------===//

Value VectorCall::add(const Value &a, const Value &b) {
  return binary(cx, BinaryOp::Add, a, b, at);
}
Value VectorCall::sub(const Value &a, const Value &b) {
  return binary(cx, BinaryOp::Sub, a, b, at);
}
Value VectorCall::mul(const Value &a, const Value &b) {
  return binary(cx, BinaryOp::Mul, a, b, at);
}
Value VectorCall::div(const Value &a, const Value &b) {
  return binary(cx, BinaryOp::Div, a, b, at);
}

Value VectorCall::sum(const Value &v) {
  if (v.kind != Value::Matrix)
    return v;
  Value total = v.items[0];
  for (size_t i = 1; i < v.items.size(); ++i)
    total = add(total, v.items[i]);
  return total;
}

Value VectorCall::real(UnaryOp op, const Value &x) {
  std::vector<ExprRef> e;
  if (!commonType(cx, e, {x}, at, true))
    return Value();
  const Type type = e[0]->type;
  return stable(Value::scalar(makeUnary(op, e[0], type, at)));
}

Value VectorCall::stable(Value value) { return sema::stable(cx, std::move(value), at); }

bool VectorCall::need(size_t count) {
  if (args.size() == count)
    return true;
  error(cx, at, Problem::ArgumentCountWrong,
        "`" + name + "` takes " + std::to_string(count) + " argument" + (count == 1 ? "" : "s") +
            " here");
  return false;
}

bool VectorCall::needVector(const Value &v) {
  if (v.kind == Value::Matrix && v.vector)
    return true;
  if (!v.isPoison())
    error(cx, at, Problem::VectorNeeded, "`" + name + "` needs a vector, not " + describe(v));
  return false;
}

/// `one` of a number, or of each component.
static Value eachOf(const Value &x, const std::function<Value(const Value &)> &one) {
  if (x.kind != Value::Matrix)
    return one(x);
  return mapItems(x, [&](const Value &item) { return eachOf(item, one); });
}

static Value constantOne() { return Value::exactInt(1); }

//===--- Also of numbers ---------------------------------------------------===//

static Value fract(VectorCall &c) {
  auto floor = [&](const Value &x) { return c.real(UnaryOp::Floor, x); };
  Value whole = c.isMatrix() ? mapItems(c.self, floor) : floor(c.self);
  return c.sub(c.self, whole);
}

static Value sign(VectorCall &c) {
  return eachOf(c.self, [&](const Value &x) -> Value {
    ExprRef e = toRuntime(c.cx, x, c.at);
    if (!e)
      return Value();
    const Type type = e->type;
    ExprRef zero = convert(c.cx, Value::exactInt(0), type, c.at);
    ExprRef plus = convert(c.cx, Value::exactInt(1), type, c.at);
    ExprRef minus = isUnsigned(type) ? zero : convert(c.cx, Value::exactInt(-1), type, c.at);
    ExprRef up = makeBinary(hir::BinaryOp::Gt, e, zero, Type::Bool, c.at);
    ExprRef down = makeBinary(hir::BinaryOp::Lt, e, zero, Type::Bool, c.at);
    return Value::scalar(makeSelect(up, plus, makeSelect(down, minus, zero, c.at), c.at));
  });
}

static Value clampBetween(VectorCall &c, const Value &x, const Value &low, const Value &high) {
  return minMax(c.cx, true, minMax(c.cx, false, x, low, c.at), high, c.at);
}

static Value clamp(VectorCall &c) {
  return c.need(2) ? clampBetween(c, c.self, c.args[0], c.args[1]) : Value();
}

/// a * (1 - t) + b * t
static Value mix(VectorCall &c) {
  if (!c.need(2))
    return Value();
  return c.add(c.mul(c.self, c.sub(constantOne(), c.args[1])), c.mul(c.args[0], c.args[1]));
}

static Value fma(VectorCall &c) {
  return c.need(2) ? c.add(c.mul(c.self, c.args[0]), c.args[1]) : Value();
}

static Value degrees(VectorCall &c) { return c.mul(c.self, Value::exactFloat(57.29577951308232)); }

static Value radians(VectorCall &c) {
  return c.mul(c.self, Value::exactFloat(0.017453292519943295));
}

static Value step(VectorCall &c) {
  if (!c.need(1))
    return Value();
  Value below = compare(c.cx, ast::CompareOp::Lt, c.args[0], c.self, c.at);
  if (below.isPoison())
    return below;
  return eachOf(below, [&](const Value &x) -> Value {
    ExprRef isBelow = toBool(c.cx, x, c.at);
    const Type type = c.cx.options.defaultFloat;
    return isBelow ? Value::scalar(makeSelect(isBelow, makeFloat(0, type, c.at),
                                              makeFloat(1, type, c.at), c.at))
                   : Value();
  });
}

static Value smoothstep(VectorCall &c) {
  if (!c.need(2))
    return Value();
  Value t = c.div(c.sub(c.args[1], c.self), c.sub(c.args[0], c.self));
  t = c.stable(clampBetween(c, t, Value::exactFloat(0), Value::exactFloat(1)));
  return c.mul(c.mul(t, t), c.sub(Value::exactFloat(3), c.mul(Value::exactFloat(2), t)));
}

static Value isNan(VectorCall &c) {
  return compare(c.cx, ast::CompareOp::Ne, c.self, c.self, c.at);
}

static Value isInf(VectorCall &c) {
  return eachOf(c.self, [&](const Value &x) -> Value {
    std::vector<ExprRef> e;
    if (!commonType(c.cx, e, {x}, c.at, true))
      return Value();
    const Type type = e[0]->type;
    ExprRef magnitude = makeUnary(UnaryOp::Abs, e[0], type, c.at);
    return Value::scalar(makeBinary(hir::BinaryOp::Eq, magnitude, makeFloat(INFINITY, type, c.at),
                                    Type::Bool, c.at));
  });
}

static Value best(VectorCall &c) {
  if (!c.isMatrix())
    return error(c.cx, c.at, Problem::MethodOfVectors, "`" + c.name + "` is a method of vectors");
  Value result = c.self.items[0];
  for (size_t i = 1; i < c.self.items.size(); ++i)
    result = minMax(c.cx, c.name == "min", result, c.self.items[i], c.at);
  return result;
}

static Value cast(VectorCall &c) {
  Type type;
  if (!dtypeOf(c.args[0], c.cx.options, type))
    return error(c.cx, c.at, Problem::CastDtypeNeeded,
                 "`cast` needs a dtype, not " + describe(c.args[0]));
  return castItems(c.cx, c.self, type, c.at);
}

//===--- Of vectors and matrices -------------------------------------------===//

static Value sumOf(VectorCall &c) { return c.sum(c.self); }

static Value anyOrAll(VectorCall &c) {
  const auto op = c.name == "any" ? hir::BinaryOp::Or : hir::BinaryOp::And;
  ExprRef result;
  for (const Value &item : c.self.items) {
    ExprRef e = toBool(c.cx, item, c.at);
    if (!e)
      return Value();
    result = result ? makeBinary(op, result, e, Type::Bool, c.at) : e;
  }
  return Value::scalar(result);
}

static Value dot(VectorCall &c) {
  const bool isRight = c.need(1) && c.needVector(c.self) && c.needVector(c.args[0]);
  return isRight ? matMul(c.cx, c.self, c.args[0], c.at) : Value();
}

static Value normSquared(VectorCall &c) { return c.sum(c.mul(c.self, c.self)); }

/// The root of the sum of squares and `more`, if that is given.
static Value norm(VectorCall &c, const Value &v, const Value *more = nullptr,
                  UnaryOp op = UnaryOp::Sqrt) {
  Value square = c.sum(c.mul(v, v));
  if (more)
    square = c.add(square, *more);
  return square.isPoison() ? square : c.real(op, square);
}

static Value normOf(VectorCall &c) {
  return norm(c, c.self, c.args.empty() ? nullptr : &c.args[0],
              c.name == "norm_inv" ? UnaryOp::Rsqrt : UnaryOp::Sqrt);
}

static Value frobenius(VectorCall &c) {
  if (!c.need(1))
    return Value();
  if (c.args[0].kind != Value::Matrix)
    return error(c.cx, c.at, Problem::MatrixNeeded,
                 "`" + c.name + "` needs a vector or a matrix, not " + describe(c.args[0]));
  return c.sum(c.mul(c.self, c.args[0]));
}

static Value distance(VectorCall &c) {
  if (!c.need(1))
    return Value();
  Value d = c.sub(c.self, c.args[0]);
  return d.isPoison() ? d : vectorMethod(c.cx, "norm", d, {}, c.at);
}

static Value normalized(VectorCall &c) {
  Value n = norm(c, c.self);
  if (!c.args.empty())
    n = c.add(n, c.args[0]);
  return c.div(c.self, n);
}

/// v - 2 (v . n) n
static Value reflect(VectorCall &c) {
  if (!c.need(1) || !c.needVector(c.args[0]))
    return Value();
  Value d = matMul(c.cx, c.self, c.args[0], c.at);
  return c.sub(c.self, c.mul(c.mul(Value::exactInt(2), d), c.args[0]));
}

static Value cross(VectorCall &c) {
  if (!c.need(1) || !c.needVector(c.self) || !c.needVector(c.args[0]))
    return Value();
  const Value &a = c.self, &b = c.args[0];
  if (a.rows == 2 && b.rows == 2)
    return c.sub(c.mul(a.items[0], b.items[1]), c.mul(a.items[1], b.items[0]));
  if (a.rows != 3 || b.rows != 3)
    return error(c.cx, c.at, Problem::CrossSizeWrong,
                 "`cross` needs vectors of 3 (or 2) components");
  std::vector<Value> items;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    items.push_back(c.sub(c.mul(a.items[j], b.items[k]), c.mul(a.items[k], b.items[j])));
  }
  return Value::matrix(3, 1, true, std::move(items));
}

static Value outerProduct(VectorCall &c) {
  if (!c.need(1) || !c.needVector(c.self) || !c.needVector(c.args[0]))
    return Value();
  std::vector<Value> items;
  for (const Value &a : c.self.items)
    for (const Value &b : c.args[0].items)
      items.push_back(c.mul(a, b));
  return Value::matrix(c.self.rows, c.args[0].rows, false, std::move(items));
}

Value doOuter(Context &cx, CallSite &site) {
  if (site.args[0].isNumber() && site.args[1].isNumber())
    return error(cx, site.at, Problem::TileChangedOtherwise,
                 "the outer product of two numbers of each thread is for tiles",
                 "write `tile -= qd.outer(a, b)`");
  return vectorMethod(cx, "outer_product", site.args[0], {site.args[1]}, site.at);
}

static Value transpose(VectorCall &c) {
  std::vector<Value> items;
  for (unsigned col = 0; col < c.self.cols; ++col)
    for (unsigned row = 0; row < c.self.rows; ++row)
      items.push_back(c.self.items[row * c.self.cols + col]);
  return Value::matrix(c.self.cols, c.self.rows, false, std::move(items));
}

static Value trace(VectorCall &c) {
  if (c.self.rows != c.self.cols)
    return error(c.cx, c.at, Problem::TraceOfNoSquare, "`trace` needs a square matrix");
  Value total = c.self.items[0];
  for (unsigned i = 1; i < c.self.rows; ++i)
    total = c.add(total, c.self.items[i * c.self.cols + i]);
  return total;
}

/// Python's `n.bit_length()`, of what is known when kernels are built: the bits of |n|.
static Value bitLength(VectorCall &c) {
  const std::optional<Exact> n = exactInt(c.cx, c.given, c.at, "what has a `bit_length`");
  Exact length = 0;
  for (Exact rest = n ? (*n < 0 ? -*n : *n) : 0; rest > 0; rest /= 2)
    ++length;
  return n && c.need(0) ? Value::exactInt(length) : Value();
}

//===--- By name -----------------------------------------------------------===//

namespace {

struct VectorMethod {
  std::string_view name;
  Value (*handler)(VectorCall &) = nullptr; ///< null: of arrays and fields only
  bool takesNumbers = false;
};

constexpr bool numbers = true, vectors = false;

constexpr VectorMethod methods[] = {
#define METHOD(NAME, PARAMETERS, HANDLER, OF, DOC) {NAME, HANDLER, OF},
#include "frontend/sema/builtins/Operations.def"
    {"max", best, numbers},
    {"min", best, numbers},
    {"cast", cast, numbers},
    {"bit_length", bitLength, numbers},
    {"fill"},
    {"cols"},
    {"rows"},
};

const VectorMethod *findMethod(std::string_view name) {
  auto *found = std::find_if(std::begin(methods), std::end(methods),
                             [&](const VectorMethod &method) { return method.name == name; });
  return found != std::end(methods) ? found : nullptr;
}

} // namespace

bool isVectorMethod(std::string_view name) { return findMethod(name) != nullptr; }

std::vector<std::string_view> methodNames(bool isNumber) {
  std::vector<std::string_view> names;
  for (const VectorMethod &method : methods)
    if (method.takesNumbers || !isNumber)
      names.push_back(method.name);
  return names;
}

Value vectorMethod(Context &cx, const std::string &name, const Value &given,
                   std::vector<Value> args, SourceRange at) {
  Value self = given.kind == Value::Tuple && name != "index" ? toMatrix(cx, given, at) : given;
  if (self.isPoison())
    return self;
  self = stable(cx, std::move(self), at);
  for (Value &arg : args)
    arg = stable(cx, std::move(arg), at);
  const VectorMethod *method = findMethod(name);
  if (!method)
    return unknownName(cx, at, Problem::MemberUnknown, describe(given) + " has no", name,
                       methodNames(given.isNumber() && given.kind != Value::Matrix));
  // A cast without a type, and what this is no method of.
  const bool isCall = method->handler && (method->handler != cast || args.size() == 1);
  if (self.kind != Value::Matrix && !(isCall && method->takesNumbers))
    return error(cx, at, Problem::MatrixNeeded,
                 "`" + name + "` needs a vector or a matrix, not " + describe(given));
  if (!isCall)
    return error(cx, at, Problem::MethodNotSupported,
                 "`" + name + "` is not supported on " + describe(given));
  VectorCall call{cx, name, given, std::move(self), std::move(args), at};
  return method->handler(call);
}

bool nameArguments(Context &cx, const std::string &method,
                   const std::vector<ast::Keyword> &keywords, std::vector<Value> &args) {
  const Builtin *row = findBuiltin("qd." + method);
  const std::vector<Parameter> parameters = row && row->parameters != std::string_view("*")
                                                ? parametersOf(*row)
                                                : std::vector<Parameter>();
  const std::string what = "`" + method + "`";
  std::vector<std::optional<Value>> named(parameters.size());
  for (const ast::Keyword &keyword : keywords) {
    size_t k = 1; // after `self`
    while (k < parameters.size() && parameters[k].name != keyword.name)
      ++k;
    const std::string name = "`" + std::string(keyword.name) + "`";
    if (k >= parameters.size()) {
      unknownName(cx, keyword.at, Problem::ParameterUnknown, what + " has no parameter",
                  keyword.name, namesOf(parameters));
      return false;
    }
    if (k - 1 < args.size()) {
      error(cx, keyword.at, Problem::ArgumentTwice, what + " is given " + name + " twice");
      return false;
    }
    named[k] = eval(cx, *keyword.value);
    if (named[k]->isPoison())
      return false;
  }
  const size_t first = args.size() + 1;
  for (size_t k = first; k < first + keywords.size(); ++k) {
    if (!named[k]) {
      error(cx, keywords[0].at, Problem::ArgumentMissing,
            what + " needs `" + std::string(parameters[k].name) + "`");
      return false;
    }
    args.push_back(std::move(*named[k]));
  }
  return true;
}

Value doVectorMethod(Context &cx, CallSite &site) {
  std::vector<Value> args;
  for (size_t i = 1; i < site.args.size(); ++i)
    if (site.given[i])
      args.push_back(site.args[i]);
  const std::string name(site.name.substr(site.name.rfind('.') + 1));
  return vectorMethod(cx, name, site.args[0], std::move(args), site.at);
}

} // namespace sextant::sema
