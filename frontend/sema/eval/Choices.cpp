#include "frontend/sema/eval/Choices.h"
#include "frontend/sema/Struct.h"
#include "frontend/sema/eval/Expressions.h"
#include "frontend/sema/eval/Statements.h"
#include "frontend/sema/eval/Variables.h"
#include "frontend/sema/values/Convert.h"
#include "frontend/sema/values/Operators.h"

namespace sextant::sema {

using hir::Type;

/// Why a loop there is serial.
static constexpr const char *inChoice = "in an expression that is evaluated under a condition";

namespace {
/// True if the expression is cheap enough to be evaluated for nothing. Where it is differentiated,
/// its slope may be infinite, and infinity times the derivative 0 is NaN.
bool cheap(const Context &cx, const Value &value) {
  if (value.isCompound()) {
    for (const Value &item : value.items)
      if (!cheap(cx, item))
        return false;
    return true;
  }
  if (value.kind != Value::Scalar)
    return true;
  const bool hasSlope = cx.derivative != Derivative::None && isFloat(value.expr->type);
  const unsigned limit = hasSlope ? 2 : 8;
  return sizeOf(*value.expr, limit) < limit;
}
} // namespace

/// Gives both sides a common type. Returns false after an error.
static bool unify(Context &cx, Value &a, Value &b, SourceRange at) {
  if (a.isNumber() && b.isNumber()) {
    std::vector<ExprRef> e;
    if (!commonType(cx, e, {a, b}, at))
      return false;
    a = Value::scalar(e[0]);
    b = Value::scalar(e[1]);
    return true;
  }
  const bool isOneStruct = a.kind != Value::Struct || b.kind != Value::Struct ||
                           isAlike(*a.type.structure, *b.type.structure);
  if (a.isCompound() && a.kind == b.kind && isOneStruct && a.items.size() == b.items.size() &&
      a.rows == b.rows && a.cols == b.cols) {
    for (size_t i = 0; i < a.items.size(); ++i)
      if (!unify(cx, a.items[i], b.items[i], at))
        return false;
    return true;
  }
  if (areEqual(a, b) == true) // no run can tell one from the other
    return true;
  return error(cx, at, Problem::ConditionalSidesDiffer,
               "the two sides differ at run time: " + describe(a) + " and " + describe(b),
               "put the condition into `qd.static(...)` if it is known at compile time");
}

/// One of two values of one shape, each scalar by a selection.
static Value selected(const ExprRef &condition, const Value &a, const Value &b, SourceRange at) {
  Value out = a;
  if (a.kind == Value::Scalar)
    out.expr = makeSelect(condition, a.expr, b.expr, at);
  for (size_t i = 0; i < a.items.size(); ++i)
    out.items[i] = selected(condition, a.items[i], b.items[i], at);
  return out;
}

/// Selects one of two values at run time. A function makes each value, and may emit statements.
static Value choose(Context &cx, ExprRef condition, const std::function<Value()> &whenTrue,
                    const std::function<Value()> &whenFalse, SourceRange at) {
  if (!condition)
    return Value();
  if (auto *c = asConst(*condition))
    return c->bits ? whenTrue() : whenFalse();
  condition = stable(cx, Value::scalar(condition), at).expr;
  hir::Block blocks[2];
  Value values[2];
  for (int side = 0; side < 2; ++side)
    inRuntime(cx, blocks[side], inChoice, [&] {
      values[side] = side == 0 ? whenTrue() : whenFalse();
      return Flow::Normal;
    });
  if (values[0].isPoison() || values[1].isPoison())
    return Value();
  // A scalar beside a vector fills a vector.
  for (int side = 0; side < 2; ++side)
    if (values[side].isNumber() && values[1 - side].kind == Value::Matrix)
      inRuntime(cx, blocks[side], [&] {
        values[side] = spread(cx, values[side], values[1 - side], at);
        return Flow::Normal;
      });
  if (!unify(cx, values[0], values[1], at))
    return Value();
  if (blocks[0].empty() && blocks[1].empty() && cheap(cx, values[0]) && cheap(cx, values[1]))
    return selected(condition, values[0], values[1], at);
  Value result = newVariableLeaves(cx, "c", values[0], at);
  auto anonymous = std::make_shared<Variable>();
  anonymous->name = "the value";
  for (int side = 0; side < 2; ++side) {
    hir::Block *saved = cx.current;
    cx.current = &blocks[side];
    assignLeaves(cx, result, values[side], anonymous, at);
    cx.current = saved;
  }
  emit(cx, at, hir::If{take(cx, condition), std::move(blocks[0]), std::move(blocks[1])});
  return result;
}

Value evalIf(Context &cx, const ast::Expr &expr, const ast::IfExpr &node) {
  Value condition = eval(cx, *node.condition);
  if (condition.isPoison())
    return condition;
  if (condition.kind != Value::Scalar) {
    bool known = false;
    bool truth = isTruthy(cx, condition, known, node.condition->at);
    if (!known)
      return Value();
    return eval(cx, truth ? *node.whenTrue : *node.whenFalse);
  }
  return choose(
      cx, toBool(cx, condition, expr.at), [&] { return eval(cx, *node.whenTrue); },
      [&] { return eval(cx, *node.whenFalse); }, expr.at);
}

/// A run-time scalar and the operands after it, which run only if the scalar does not decide.
static Value shortCircuit(Context &cx, bool isAnd, Value lhs, const std::function<Value()> &rest,
                          SourceRange at) {
  lhs = stable(cx, std::move(lhs), at);
  ExprRef condition = toBool(cx, lhs, at);
  Exact constant = 0;
  if (constInt(*lhs.expr, constant))
    return (constant != 0) == isAnd ? rest() : lhs;
  // If both conditions have no effects, one bit operation is enough.
  hir::Block block;
  Value rhs;
  inRuntime(cx, block, inChoice, [&] {
    rhs = rest();
    return Flow::Normal;
  });
  if (rhs.isPoison())
    return rhs;
  if (block.empty() && lhs.expr->type == Type::Bool && rhs.isNumber() &&
      typeOf(cx, rhs) == Type::Bool && cheap(cx, rhs)) {
    ExprRef r = toRuntime(cx, rhs, at);
    return Value::scalar(makeBinary(isAnd ? hir::BinaryOp::And : hir::BinaryOp::Or, lhs.expr,
                                    std::move(r), Type::Bool, at));
  }
  if (rhs.kind == Value::Matrix)
    return error(cx, at, Problem::LogicMixesScalarsAndVectors,
                 "`and` and `or` do not mix scalars and vectors");
  // The right side was written into `block`, which becomes one arm.
  auto evaluated = [&]() -> Value {
    for (auto &stmt : block)
      cx.current->push_back(std::move(stmt));
    block.clear();
    return rhs;
  };
  auto left = [&]() -> Value { return lhs; };
  return isAnd ? choose(cx, condition, evaluated, left, at)
               : choose(cx, condition, left, evaluated, at);
}

/// `and`, `or`: the right side runs only if the left side does not decide.
Value evalBoolOp(Context &cx, const ast::Expr &expr, const ast::BoolOp &node) {
  std::function<Value(size_t)> from = [&](size_t i) -> Value {
    Value lhs = eval(cx, *node.operands[i]);
    if (i + 1 == node.operands.size() || lhs.isPoison())
      return lhs;
    SourceRange at = expr.at;
    if (lhs.kind == Value::Matrix) {
      // Python does not define this. As in Quadrants, each component is 0 or 1.
      Value rhs = from(i + 1);
      return elementwise(cx, lhs, rhs, at, [&](const Value &a, const Value &b) -> Value {
        if (!a.isNumber() || !b.isNumber())
          return error(cx, at, Problem::NumberNeeded,
                       "a number is needed here, not " + describe(a.isNumber() ? b : a));
        Type type = promote(typeOf(cx, a), typeOf(cx, b));
        if (isFloat(type))
          return error(cx, at, Problem::LogicOfRealVectors,
                       "`and` and `or` of vectors need integers, not " + spell(type),
                       "compare them, as in `v != 0`");
        ExprRef x = toBool(cx, a, at), y = toBool(cx, b, at);
        if (!x || !y)
          return Value();
        return Value::scalar(makeCast(
            makeBinary(node.isAnd ? hir::BinaryOp::And : hir::BinaryOp::Or, x, y, Type::Bool, at),
            type, at));
      });
    }
    if (lhs.kind != Value::Scalar) {
      bool known = false;
      bool truth = isTruthy(cx, lhs, known, at);
      if (!known)
        return Value();
      return truth == node.isAnd ? from(i + 1) : lhs;
    }
    return shortCircuit(cx, node.isAnd, std::move(lhs), [&] { return from(i + 1); }, at);
  };
  return from(0);
}

/// Each operand is evaluated once. Operands after a false comparison are not evaluated at all.
Value evalCompare(Context &cx, const ast::Expr &expr, const ast::Compare &node) {
  std::function<Value(const Value &, size_t)> from = [&](const Value &lhs, size_t i) -> Value {
    Value rhs = eval(cx, *node.rest[i]);
    const bool last = i + 1 == node.ops.size();
    if (!last)
      rhs = stable(cx, std::move(rhs), expr.at);
    Value one = compare(cx, node.ops[i], lhs, rhs, expr.at);
    if (last || one.isPoison())
      return one;
    if (one.kind == Value::Bool)
      return one.integer ? from(rhs, i + 1) : one;
    if (one.kind == Value::Matrix)
      return binary(cx, ast::BinaryOp::And, one, from(rhs, i + 1), expr.at);
    return shortCircuit(cx, true, std::move(one), [&] { return from(rhs, i + 1); }, expr.at);
  };
  return from(eval(cx, *node.first), 0);
}

} // namespace sextant::sema
