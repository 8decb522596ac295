// Arithmetic: exact on compile-time values, typed on run-time ones, element by
// element on vectors and matrices.
#include "frontend/sema/values/Operators.h"
#include "frontend/sema/Builtin.h"
#include "frontend/sema/Context.h"
#include "frontend/sema/Struct.h"
#include "frontend/sema/values/Checks.h"
#include "frontend/sema/values/Convert.h"
#include "frontend/sema/values/ExactMath.h"

#include <cmath>

namespace sextant::sema {

using hir::Type;

namespace {
/// How an operator is written, and what it becomes.
struct OperatorRow {
  const char *symbol;
  hir::BinaryOp op;
};
const OperatorRow &rowOf(ast::BinaryOp op) {
  using H = hir::BinaryOp;
  static constexpr OperatorRow rows[] = {
      {"+", H::Add}, {"-", H::Sub},  {"*", H::Mul}, {"/", H::Div},  {"//", H::FloorDiv},
      {"%", H::Mod}, {"**", H::Pow}, {"@", H::Add}, {"<<", H::Shl}, {">>", H::Shr},
      {"&", H::And}, {"|", H::Or},   {"^", H::Xor}};
  static_assert(std::size(rows) == unsigned(ast::BinaryOp::Xor) + 1);
  return rows[unsigned(op)];
}
const char *symbol(ast::BinaryOp op) { return rowOf(op).symbol; }
hir::BinaryOp toHir(ast::BinaryOp op) { return rowOf(op).op; }
bool isBitwise(ast::BinaryOp op) {
  return op == ast::BinaryOp::And || op == ast::BinaryOp::Or || op == ast::BinaryOp::Xor;
}
bool isShift(ast::BinaryOp op) { return op == ast::BinaryOp::Shl || op == ast::BinaryOp::Shr; }
constexpr Exact exactLimit = Exact(1) << 100;
} // namespace

static bool isEmptyIndex(const Value &value) {
  return (value.kind == Value::Tuple || value.kind == Value::Matrix) && value.items.empty();
}

Value elementwise(Context &cx, const Value &a, const Value &b, SourceRange at,
                  const std::function<Value(const Value &, const Value &)> &op) {
  if (isEmptyIndex(a) && isEmptyIndex(b)) // `I - offset` for an array without axes
    return Value::tuple({});
  Value lhs = a.kind == Value::Tuple ? toMatrix(cx, a, at) : a;
  Value rhs = b.kind == Value::Tuple ? toMatrix(cx, b, at) : b;
  if (lhs.isPoison() || rhs.isPoison())
    return Value();
  if (lhs.kind == Value::Matrix && rhs.kind == Value::Matrix &&
      (lhs.rows != rhs.rows || lhs.cols != rhs.cols))
    return error(cx, at, Problem::ShapesDiffer,
                 "the shapes differ: " + std::to_string(lhs.rows) + "x" + std::to_string(lhs.cols) +
                     " and " + std::to_string(rhs.rows) + "x" + std::to_string(rhs.cols));
  if (lhs.kind != Value::Matrix)
    lhs = stable(cx, std::move(lhs), at);
  if (rhs.kind != Value::Matrix)
    rhs = stable(cx, std::move(rhs), at);
  Value out = lhs.kind == Value::Matrix ? lhs : rhs;
  for (size_t i = 0; i < out.items.size(); ++i) {
    out.items[i] = op(lhs.kind == Value::Matrix ? lhs.items[i] : lhs,
                      rhs.kind == Value::Matrix ? rhs.items[i] : rhs);
    if (out.items[i].isPoison())
      return Value();
  }
  return out;
}

//===--- Unary -------------------------------------------------------------===//

Value unary(Context &cx, ast::UnaryOp op, const Value &operand, SourceRange at) {
  if (operand.isPoison())
    return operand;
  if (op == ast::UnaryOp::Not && operand.kind != Value::Matrix) {
    if (operand.kind == Value::Scalar)
      return Value::scalar(
          makeUnary(hir::UnaryOp::LogicNot, toBool(cx, operand, at), Type::Bool, at));
    bool known = false;
    bool truth = isTruthy(cx, operand, known, at);
    return known ? Value::exactBool(!truth) : Value();
  }
  if (operand.kind == Value::Matrix)
    return mapItems(operand, [&](const Value &item) { return unary(cx, op, item, at); });
  if (operand.isExact()) {
    if (op == ast::UnaryOp::BitNot) {
      if (operand.kind == Value::Float)
        return error(cx, at, Problem::ComplementOfReal, "`~` needs an integer, not a real number");
      return Value::exactInt(~operand.integer);
    }
    if (operand.kind == Value::Float)
      return op == ast::UnaryOp::Neg ? Value::exactFloat(-operand.real) : operand;
    return Value::exactInt(op == ast::UnaryOp::Neg ? -operand.integer : operand.integer);
  }
  if (operand.kind != Value::Scalar)
    return error(cx, at, Problem::NoArithmetic, describe(operand) + " has no arithmetic");
  ExprRef e = operand.expr;
  if (e->type == Type::Bool)
    e = makeCast(e, cx.options.defaultInt, at);
  Type type = e->type;
  if (op == ast::UnaryOp::Plus)
    return Value::scalar(std::move(e));
  if (op == ast::UnaryOp::BitNot && isFloat(type))
    return error(cx, at, Problem::IntegerNeeded, "`~` needs an integer, not " + spell(type),
                 "`qd.bit_cast` gives the bits of a real number as an integer");
  if (auto *c = asConst(*e); c && isFloat(type) && op == ast::UnaryOp::Neg)
    return Value::scalar(makeFloat(-c->real, type, at));
  Exact constant = 0;
  if (constInt(*e, constant))
    return Value::scalar(makeInt(op == ast::UnaryOp::Neg ? -constant : ~constant, type, at));
  if (op == ast::UnaryOp::Neg)
    checkNegation(cx, e, at);
  return Value::scalar(makeUnary(op == ast::UnaryOp::Neg ? hir::UnaryOp::Neg : hir::UnaryOp::BitNot,
                                 std::move(e), type, at));
}

//===--- Binary ------------------------------------------------------------===//

static Value exactReals(Context &cx, ast::BinaryOp op, double x, double y, SourceRange at) {
  switch (op) {
  case ast::BinaryOp::Add:
    return Value::exactFloat(x + y);
  case ast::BinaryOp::Sub:
    return Value::exactFloat(x - y);
  case ast::BinaryOp::Mul:
    return Value::exactFloat(x * y);
  case ast::BinaryOp::Pow:
    return Value::exactFloat(evaluatePower(x, y));
  case ast::BinaryOp::Div:
    return y == 0 ? error(cx, at, Problem::DivisionByZero, "division by zero")
                  : Value::exactFloat(x / y);
  case ast::BinaryOp::FloorDiv:
  case ast::BinaryOp::Mod: {
    if (y == 0)
      return error(cx, at, Problem::DivisionByZero, "division by zero");
    double rest = std::fmod(x, y);
    if (rest != 0 && (rest < 0) != (y < 0))
      rest += y;
    return Value::exactFloat(op == ast::BinaryOp::Mod ? rest : std::floor((x - rest) / y + 0.5));
  }
  default:
    return error(cx, at, Problem::IntegersNeeded,
                 std::string("`") + symbol(op) + "` needs integers, not real numbers");
  }
}

static Value exactIntegers(Context &cx, ast::BinaryOp op, const Value &a, const Value &b,
                           SourceRange at) {
  Exact i = a.integer, j = b.integer, result = 0;
  auto tooLarge = [&] {
    return error(cx, at, Problem::StaticArithmeticOverflow,
                 "the result of this compile-time arithmetic is too large");
  };
  switch (op) {
  case ast::BinaryOp::Add:
    result = i + j;
    break;
  case ast::BinaryOp::Sub:
    result = i - j;
    break;
  case ast::BinaryOp::Mul:
    if (__builtin_mul_overflow(i, j, &result))
      return tooLarge();
    break;
  case ast::BinaryOp::FloorDiv:
  case ast::BinaryOp::Mod: {
    if (j == 0)
      return error(cx, at, Problem::DivisionByZero, "division by zero");
    Exact q = i / j, r = i % j;
    if (r != 0 && (r < 0) != (j < 0)) {
      --q;
      r += j;
    }
    result = op == ast::BinaryOp::Mod ? r : q;
    break;
  }
  case ast::BinaryOp::Pow: {
    if (j < 0)
      return Value::exactFloat(evaluatePower(double(i), double(j)));
    result = 1;
    if (i == 0 || i == 1)
      return Value::exactInt(j == 0 ? 1 : i);
    if (i == -1)
      return Value::exactInt(j % 2 ? -1 : 1);
    if (j > 127)
      return tooLarge();
    for (Exact k = 0; k < j; ++k)
      if (__builtin_mul_overflow(result, i, &result))
        return tooLarge();
    break;
  }
  case ast::BinaryOp::Shl:
    if (j < 0)
      return error(cx, at, Problem::NegativeShift, "a negative shift");
    if (j > 100 || (i > 0 ? i : -i) > (exactLimit >> int(j)))
      return tooLarge();
    result = i * (Exact(1) << int(j));
    break;
  case ast::BinaryOp::Shr:
    if (j < 0)
      return error(cx, at, Problem::NegativeShift, "a negative shift");
    result = j > 126 ? (i < 0 ? -1 : 0) : i >> int(j);
    break;
  case ast::BinaryOp::And:
    result = i & j;
    break;
  case ast::BinaryOp::Or:
    result = i | j;
    break;
  case ast::BinaryOp::Xor:
    result = i ^ j;
    break;
  default:
    break;
  }
  if (result > exactLimit || result < -exactLimit)
    return tooLarge();
  if (isBitwise(op) && a.kind == Value::Bool && b.kind == Value::Bool)
    return Value::exactBool(result != 0);
  return Value::exactInt(result);
}

static Value exactBinary(Context &cx, ast::BinaryOp op, const Value &a, const Value &b,
                         SourceRange at) {
  if (op != ast::BinaryOp::Div && a.kind != Value::Float && b.kind != Value::Float)
    return exactIntegers(cx, op, a, b, at);
  double x = a.kind == Value::Float ? a.real : double(a.integer);
  double y = b.kind == Value::Float ? b.real : double(b.integer);
  return exactReals(cx, op, x, y, at);
}

static Value power(Context &cx, const Value &lhs, const Value &rhs, SourceRange at) {
  Exact exponent = 0;
  bool known = rhs.kind == Value::Int;
  if (known)
    exponent = rhs.integer;
  else if (rhs.kind == Value::Scalar)
    known = constInt(*rhs.expr, exponent);
  bool intExponent = rhs.kind == Value::Int || rhs.kind == Value::Bool ||
                     (rhs.kind == Value::Scalar && !isFloat(rhs.expr->type));
  if (!intExponent) {
    std::vector<ExprRef> e;
    if (!commonType(cx, e, {lhs, rhs}, at, true))
      return Value();
    Type type = e[0]->type;
    return Value::scalar(makeBinary(hir::BinaryOp::Pow, e[0], e[1], type, at));
  }
  ExprRef base = toRuntime(cx, lhs, at);
  if (!base)
    return Value();
  if (base->type == Type::Bool)
    base = makeCast(base, cx.options.defaultInt, at);
  Type type = base->type;
  if (known && exponent < 0 && !isFloat(type))
    return error(cx, at, Problem::NegativePowerOfInteger,
                 "an integer to a negative power is not an integer",
                 "cast the base to a real type first");
  if (known && exponent >= -8 && exponent <= 8) {
    if (exponent == 0)
      return Value::scalar(isFloat(type) ? makeFloat(1, type, at) : makeInt(1, type, at));
    Value b = stable(cx, Value::scalar(base), at);
    unsigned n = unsigned(exponent < 0 ? -exponent : exponent);
    // Square and multiply.
    std::optional<Value> result;
    Value square = b;
    for (; n; n >>= 1) {
      if (n & 1) {
        result =
            result
                ? Value::scalar(makeBinary(hir::BinaryOp::Mul, result->expr, square.expr, type, at))
                : square;
      }
      if (n > 1)
        square = stable(
            cx, Value::scalar(makeBinary(hir::BinaryOp::Mul, square.expr, square.expr, type, at)),
            at);
    }
    if (exponent < 0)
      return Value::scalar(
          makeBinary(hir::BinaryOp::Div, makeFloat(1, type, at), result->expr, type, at));
    return *result;
  }
  ExprRef e = toRuntime(cx, rhs, at);
  if (!e)
    return Value();
  if (e->type == Type::Bool)
    e = makeCast(e, cx.options.defaultInt, at);
  return Value::scalar(makeBinary(hir::BinaryOp::Pow, std::move(base), std::move(e), type, at));
}

static Value scalarBinary(Context &cx, ast::BinaryOp op, const Value &lhs, const Value &rhs,
                          SourceRange at) {
  if (lhs.isExact() && rhs.isExact())
    return exactBinary(cx, op, lhs, rhs, at);
  if (op == ast::BinaryOp::Pow)
    return power(cx, lhs, rhs, at);
  if (isShift(op)) {
    ExprRef value = toRuntime(cx, lhs, at), amount = toRuntime(cx, rhs, at);
    if (!value || !amount)
      return Value();
    if (value->type == Type::Bool)
      value = makeCast(value, cx.options.defaultInt, at);
    if (amount->type == Type::Bool)
      amount = makeCast(amount, cx.options.defaultInt, at);
    if (isFloat(value->type) || isFloat(amount->type))
      return error(cx, at, Problem::IntegersNeeded,
                   std::string("`") + symbol(op) + "` needs integers, not " +
                       spell(isFloat(value->type) ? value->type : amount->type));
    Type type = value->type;
    Exact v = 0, n = 0;
    if (constInt(*value, v) && constInt(*amount, n) && n >= 0 && n < bitWidth(type))
      return Value::scalar(
          makeInt(op == ast::BinaryOp::Shl ? Exact(uint64_t(v) << int(n)) : v >> int(n), type, at));
    checkShift(cx, type, amount, at);
    return Value::scalar(makeBinary(toHir(op), std::move(value), std::move(amount), type, at));
  }
  std::vector<ExprRef> e;
  if (!commonType(cx, e, {lhs, rhs}, at, op == ast::BinaryOp::Div))
    return Value();
  Type type = e[0]->type;
  if (isBitwise(op) && isFloat(type))
    return error(cx, at, Problem::IntegersNeeded,
                 std::string("`") + symbol(op) + "` needs integers, not " + spell(type),
                 "`qd.bit_cast` gives the bits of a real number as an integer");
  if (type == Type::Bool && !isBitwise(op)) {
    type = cx.options.defaultInt;
    for (auto &x : e)
      x = makeCast(x, type, at);
  }
  Exact divisor = 0;
  if ((op == ast::BinaryOp::FloorDiv || op == ast::BinaryOp::Mod) && constInt(*e[1], divisor) &&
      divisor == 0)
    return error(cx, at, Problem::DivisionByZero, "division by zero");
  if (op == ast::BinaryOp::FloorDiv || op == ast::BinaryOp::Mod)
    checkDivisor(cx, e[1], op == ast::BinaryOp::Mod, at);
  checkOverflow(cx, toHir(op), e, at);
  return Value::scalar(makeBinary(toHir(op), std::move(e[0]), std::move(e[1]), type, at));
}

Value binary(Context &cx, ast::BinaryOp op, const Value &lhs, const Value &rhs, SourceRange at) {
  if (lhs.isPoison() || rhs.isPoison())
    return Value();
  if (op == ast::BinaryOp::MatMul)
    return matMul(cx, lhs, rhs, at);
  if (lhs.isNumber() && rhs.isNumber())
    return scalarBinary(cx, op, lhs, rhs, at);
  // Compile-time sequences and strings behave as in Python.
  if (lhs.kind == Value::Tuple && rhs.kind == Value::Tuple && op == ast::BinaryOp::Add) {
    Value out = lhs;
    out.items.insert(out.items.end(), rhs.items.begin(), rhs.items.end());
    return out;
  }
  if (op == ast::BinaryOp::Mul && ((lhs.kind == Value::Tuple && rhs.kind == Value::Int) ||
                                   (lhs.kind == Value::Int && rhs.kind == Value::Tuple))) {
    const Value &sequence = lhs.kind == Value::Tuple ? lhs : rhs;
    Exact times = lhs.kind == Value::Tuple ? rhs.integer : lhs.integer;
    if (times > Exact(mostValues) || times * Exact(valuesIn(sequence)) > Exact(mostValues))
      return error(cx, at, Problem::ListTooLong, "this list would be too long");
    Value out = sequence;
    out.items.clear();
    for (Exact i = 0; i < times; ++i)
      out.items.insert(out.items.end(), sequence.items.begin(), sequence.items.end());
    return out;
  }
  if (lhs.kind == Value::Str && rhs.kind == Value::Str && op == ast::BinaryOp::Add)
    return Value::str(lhs.text + rhs.text);
  if (lhs.kind == Value::Matrix || rhs.kind == Value::Matrix)
    return elementwise(cx, lhs, rhs, at,
                       [&](const Value &a, const Value &b) { return binary(cx, op, a, b, at); });
  const Value &bad = lhs.isNumber() ? rhs : lhs;
  return error(cx, at, Problem::OperatorNotTaken,
               std::string("`") + symbol(op) + "` does not take " + describe(bad),
               bad.kind == Value::Method ? "call it, as in `." + bad.text + "(...)`" : "");
}

Value matMul(Context &cx, const Value &lhs, const Value &rhs, SourceRange at) {
  Value a = toMatrix(cx, lhs, at), b = toMatrix(cx, rhs, at);
  if (a.isPoison() || b.isPoison())
    return Value();
  unsigned inner = a.vector ? a.rows : a.cols;
  unsigned rows = a.vector ? 1 : a.rows, cols = b.vector ? 1 : b.cols;
  if (b.rows != inner)
    return error(cx, at, Problem::MatrixProductShapes,
                 "the shapes do not fit: " + std::to_string(rows) + "x" + std::to_string(inner) +
                     " @ " + std::to_string(b.rows) + "x" + std::to_string(cols));
  a = stable(cx, std::move(a), at);
  b = stable(cx, std::move(b), at);
  std::vector<Value> items;
  for (unsigned r = 0; r < rows; ++r)
    for (unsigned c = 0; c < cols; ++c) {
      Value sum;
      for (unsigned k = 0; k < inner; ++k) {
        Value product =
            binary(cx, ast::BinaryOp::Mul, a.items[r * inner + k], b.items[k * cols + c], at);
        sum = k == 0 ? product : binary(cx, ast::BinaryOp::Add, sum, product, at);
        if (sum.isPoison())
          return sum;
      }
      items.push_back(std::move(sum));
    }
  if (a.vector && b.vector)
    return items[0];
  if (a.vector)
    return Value::matrix(cols, 1, true, std::move(items));
  return Value::matrix(rows, cols, b.vector, std::move(items));
}

Value minMax(Context &cx, bool isMin, const Value &a, const Value &b, SourceRange at) {
  if (a.isPoison() || b.isPoison())
    return Value();
  if (a.kind == Value::Matrix || b.kind == Value::Matrix)
    return elementwise(cx, a, b, at,
                       [&](const Value &x, const Value &y) { return minMax(cx, isMin, x, y, at); });
  if (a.isExact() && b.isExact()) {
    double x = a.kind == Value::Float ? a.real : double(a.integer);
    double y = b.kind == Value::Float ? b.real : double(b.integer);
    if (a.kind != Value::Float && b.kind != Value::Float)
      return (isMin ? b.integer < a.integer : b.integer > a.integer) ? b : a;
    return (isMin ? y < x : y > x) ? b : a;
  }
  std::vector<ExprRef> e;
  if (!commonType(cx, e, {a, b}, at))
    return Value();
  Type type = e[0]->type;
  if (type == Type::Bool)
    return Value::scalar(makeBinary(isMin ? hir::BinaryOp::And : hir::BinaryOp::Or, std::move(e[0]),
                                    std::move(e[1]), type, at));
  return Value::scalar(makeBinary(isMin ? hir::BinaryOp::Min : hir::BinaryOp::Max, std::move(e[0]),
                                  std::move(e[1]), type, at));
}

} // namespace sextant::sema
