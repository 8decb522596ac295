// Expressions, one function for each kind. An expression that has effects or reads memory is
// emitted as a statement at once; the value that comes back is pure.
#include "frontend/sema/eval/Expressions.h"
#include "frontend/sema/Context.h"
#include "frontend/sema/Struct.h"
#include "frontend/sema/builtins/Builtins.h"
#include "frontend/sema/eval/Annotations.h"
#include "frontend/sema/eval/Assertions.h"
#include "frontend/sema/eval/Calls.h"
#include "frontend/sema/eval/Classes.h"
#include "frontend/sema/eval/Loops.h"
#include "frontend/sema/eval/Members.h"
#include "frontend/sema/eval/Names.h"
#include "frontend/sema/eval/Places.h"
#include "frontend/sema/eval/Slices.h"
#include "frontend/sema/eval/Statements.h"
#include "frontend/sema/eval/Texts.h"
#include "frontend/sema/eval/Tiles.h"
#include "frontend/sema/eval/Unknown.h"
#include "frontend/sema/eval/Variables.h"
#include "frontend/sema/eval/Views.h"
#include "frontend/sema/values/Convert.h"
#include "frontend/sema/values/Operators.h"
#include "frontend/sema/values/Print.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace sextant::sema {

static Value evalNode(Context &cx, const ast::Expr &expr);
static Value evalIf(Context &cx, const ast::Expr &expr, const ast::IfExpr &node);
static Value evalBoolOp(Context &cx, const ast::Expr &expr, const ast::BoolOp &node);
static Value shortCircuit(Context &cx, bool isAnd, Value lhs, const std::function<Value()> &rest,
                          SourceRange at);
static Value evalCompare(Context &cx, const ast::Expr &expr, const ast::Compare &node);
static Value evalName(Context &cx, std::string_view name, SourceRange at);
static Value evalNamed(Context &cx, const ast::Expr &expr, const ast::NamedExpr &node);
static Value evalDict(Context &cx, const ast::DictExpr &node);
static Value evalSubscript(Context &cx, const ast::Expr &expr, const ast::Subscript &node);
static Value evalAttribute(Context &cx, const ast::Expr &expr, const ast::Attribute &node);
static Value evalComprehension(Context &cx, const ast::Expr &expr, const ast::Comprehension &node);
static bool evalCompFor(Context &cx, const ast::Expr &expr, const ast::Comprehension &node,
                        size_t depth, Value &made);
/// Selects one of two values at run time. A function makes each value, and may emit statements.
static Value choose(Context &cx, ExprRef condition, const std::function<Value()> &whenTrue,
                    const std::function<Value()> &whenFalse, SourceRange at);

using hir::Type;

Value eval(Context &cx, const ast::Expr &expr) {
  if (!budget(cx, expr.at) || !stackLeft(cx, expr.at))
    return Value();
  return evalNode(cx, expr);
}

std::vector<Value> evalItems(Context &cx, const ast::ExprPtr &expr, bool &bad) {
  auto *starred = std::get_if<ast::Starred>(&expr->node);
  Value value = eval(cx, starred ? *starred->value : *expr);
  if (!starred) {
    bad |= value.isPoison();
    return {std::move(value)};
  }
  if (value.kind == Value::Tuple || value.kind == Value::Matrix)
    return elementsOf(cx, value, expr->at);
  bad = true;
  if (!value.isPoison())
    error(cx, expr->at, Problem::StarOfNoTuple, "`*` needs a tuple, not " + describe(value));
  return {};
}

std::vector<Value> evalItems(Context &cx, const std::vector<ast::ExprPtr> &exprs, bool &bad) {
  std::vector<Value> items;
  for (const ast::ExprPtr &expr : exprs)
    for (Value &item : evalItems(cx, expr, bad))
      items.push_back(std::move(item));
  return items;
}

std::vector<Value> elementsOf(Context &cx, const Value &value, SourceRange at) {
  if (value.kind != Value::Matrix || value.vector)
    return value.items;
  std::vector<Value> rows;
  for (unsigned i = 0; i < value.rows; ++i)
    rows.push_back(indexMatrix(cx, value, {Value::exactInt(i)}, at));
  return rows;
}

/// What to write where Python has an expression that kernels have not.
static std::string_view insteadOf(std::string_view what) {
  static constexpr std::pair<std::string_view, std::string_view> others[] = {
      {"'yield'", "store the values to an array"},
      {"a lambda", "write a function under `@qd.func`, and name it here"},
      {"a generator expression",
       "write a list, as in `[f(i) for i in qd.static(range(4))]`, or a loop"},
      {"a set", "write a tuple, as in `x in (1, 2)`"},
      {"a set comprehension", "write a list comprehension, `[…]`"},
      {"an imaginary number", "write a vector of 2 components, and multiply with `qd.math.cmul`"},
      {"an asynchronous list comprehension", "remove `async`"},
      {"an asynchronous dictionary comprehension", "remove `async`"},
      {"'await'", "call a function under `@qd.func`"}};
  for (auto &[known, instead] : others)
    if (what == known)
      return instead;
  return {};
}

Value evalNode(Context &cx, const ast::Expr &expr) {
  const auto &node = expr.node;
  if (auto *n = std::get_if<ast::Name>(&node))
    return evalName(cx, n->id, expr.at);
  if (auto *n = std::get_if<ast::IntLit>(&node)) {
    if (n->tooBig)
      return error(cx, expr.at, Problem::IntegerTooLarge, "this integer does not fit 64 bits");
    return Value::exactInt(n->value);
  }
  if (auto *n = std::get_if<ast::FloatLit>(&node)) {
    if (std::isinf(n->value))
      return error(cx, expr.at, Problem::RealTooLarge, "this real number is more than f64 holds",
                   "write `math.inf` if infinity is meant");
    return Value::exactFloat(n->value);
  }
  if (auto *n = std::get_if<ast::BoolLit>(&node))
    return Value::exactBool(n->value);
  if (std::holds_alternative<ast::NoneLit>(node))
    return Value::none();
  if (auto *n = std::get_if<ast::StringLit>(&node)) {
    if (n->opaque)
      return Value::str("(formatted text)");
    return Value::str(n->value);
  }
  if (isTextWithFields(expr))
    return textOf(cx, expr);
  if (auto *n = std::get_if<ast::Binary>(&node)) {
    Value lhs = eval(cx, *n->lhs);
    Value rhs = eval(cx, *n->rhs);
    if (lhs.kind == Value::Str && n->op == ast::BinaryOp::Mod) {
      auto text = formatMessage(cx, lhs.text, rhs, expr.at);
      if (text && !text->values.empty())
        return error(cx, expr.at, Problem::FormatOfRunTimeValue,
                     "a text takes compile-time values, not " + describe(rhs),
                     "only the message of an `assert` takes values of run time");
      return text ? Value::str(std::move(text->text)) : Value();
    }
    return binary(cx, n->op, lhs, rhs, expr.at);
  }
  if (auto *n = std::get_if<ast::Unary>(&node))
    return unary(cx, n->op, eval(cx, *n->operand), expr.at);
  if (auto *n = std::get_if<ast::Call>(&node))
    return evalCall(cx, expr, *n);
  if (auto *n = std::get_if<ast::Subscript>(&node))
    return evalSubscript(cx, expr, *n);
  if (auto *n = std::get_if<ast::Attribute>(&node))
    return evalAttribute(cx, expr, *n);
  if (auto *n = std::get_if<ast::Compare>(&node))
    return evalCompare(cx, expr, *n);
  if (auto *n = std::get_if<ast::BoolOp>(&node))
    return evalBoolOp(cx, expr, *n);
  if (auto *n = std::get_if<ast::IfExpr>(&node))
    return evalIf(cx, expr, *n);
  if (auto *n = std::get_if<ast::NamedExpr>(&node))
    return evalNamed(cx, expr, *n);
  if (auto *n = std::get_if<ast::TupleExpr>(&node)) {
    bool bad = false;
    auto items = evalItems(cx, n->elements, bad);
    return bad ? Value() : Value::tuple(std::move(items));
  }
  if (auto *n = std::get_if<ast::ListExpr>(&node)) {
    bool bad = false;
    auto items = evalItems(cx, n->elements, bad);
    if (bad)
      return Value();
    Value list = Value::tuple(std::move(items));
    list.isList = true;
    return list;
  }
  if (auto *n = std::get_if<ast::DictExpr>(&node))
    return evalDict(cx, *n);
  if (auto *n = std::get_if<ast::Comprehension>(&node))
    return evalComprehension(cx, expr, *n);
  if (auto *n = std::get_if<ast::OpaqueExpr>(&node))
    return error(cx, expr.at, Problem::ExpressionNotInKernels,
                 (n->what.empty() ? std::string("this") : n->what) + " cannot be used in kernels",
                 std::string(insteadOf(n->what)));
  if (std::holds_alternative<ast::EllipsisLit>(node))
    return error(cx, expr.at, Problem::EllipsisHasNoValue, "`...` has no value here");
  if (auto *n = std::get_if<ast::Slice>(&node))
    return evalSlice(cx, expr, *n);
  return error(cx, expr.at, Problem::ExpressionOutOfPlace, "this expression cannot stand here");
}

/// A name's value. One that a `:=` assigns may change before the rest of the expression is
/// evaluated, and is copied.
Value evalName(Context &cx, std::string_view name, SourceRange at) {
  Value value = lookup(cx, name, at);
  const ast::FunctionDef *function = cx.frame().function;
  if (!function ||
      std::find(function->named.begin(), function->named.end(), name) == function->named.end())
    return value;
  return snapshot(cx, std::move(value), at);
}

/// `(p := value)`. A new name is known from here to the end of the block that the statement is in,
/// also where only one side of an `and`, or of a choice, assigns it.
Value evalNamed(Context &cx, const ast::Expr &expr, const ast::NamedExpr &node) {
  Value value = eval(cx, *node.value);
  std::vector<NameScope> inner;
  std::vector<NameScope> &scopes = cx.frame().scopes;
  const auto &name = std::get<ast::Name>(node.target->node).id;
  if (const size_t outer = cx.frame().statementScopes; outer && !findVariable(cx, name)) {
    inner.assign(std::make_move_iterator(scopes.begin() + long(outer)),
                 std::make_move_iterator(scopes.end()));
    scopes.resize(outer);
  }
  assignTarget(cx, *node.target, value, expr.at);
  scopes.insert(scopes.end(), std::make_move_iterator(inner.begin()),
                std::make_move_iterator(inner.end()));
  return value.isPoison() ? value : evalName(cx, name, expr.at);
}

/// Sets an entry of a dictionary. A key that it has keeps its place.
static void setEntry(Value &dict, Value key, Value value) {
  if (const Value *known = findInDict(dict, key)) {
    dict.items[size_t(known - dict.items.data())] = std::move(value);
    return;
  }
  dict.items.push_back(std::move(key));
  dict.items.push_back(std::move(value));
}

/// A dictionary. Of equal keys, the last one's value counts.
Value evalDict(Context &cx, const ast::DictExpr &node) {
  Value dict = Value::of(Value::Dict);
  for (size_t k = 0; k < node.keys.size(); ++k) {
    if (!node.keys[k]) {
      const Value more = eval(cx, *node.values[k]);
      if (more.kind != Value::Dict)
        return more.isPoison() ? more
                               : error(cx, node.values[k]->at, Problem::DoubleStarOfNoDictionary,
                                       "`**` needs a dictionary, not " + describe(more));
      for (size_t i = 0; i < more.items.size(); i += 2)
        setEntry(dict, more.items[i], more.items[i + 1]);
      continue;
    }
    Value key = eval(cx, *node.keys[k]), value = eval(cx, *node.values[k]);
    if (key.isPoison() || value.isPoison())
      return Value();
    setEntry(dict, std::move(key), std::move(value));
  }
  return dict;
}

Value evalSubscript(Context &cx, const ast::Expr &expr, const ast::Subscript &node) {
  if (auto *name = std::get_if<ast::Name>(&node.value->node))
    if (auto variable = findVariable(cx, name->id); variable && isChanging(cx, *variable)) {
      Value index = eval(cx, *node.index);
      if (!areIntegers(cx, index, *node.index))
        return Value();
      Place whole = sharedPlace(*variable, expr.at);
      auto list = indexList(stable(cx, std::move(index), expr.at));
      if (list.size() != (whole.element.vector ? 1 : 2)) // a row of a matrix, or a mistake
        return indexMatrix(cx, readPlace(cx, whole, expr.at), list, expr.at);
      auto place = componentPlace(cx, std::move(whole), std::move(list), expr.at);
      return place ? readPlace(cx, *place, expr.at) : Value();
    }
  Value base = eval(cx, *node.value);
  if (base.isPoison())
    return base;
  // Types: qd.types.NDArray[dt, n], tuple[a, b].
  if (base.kind == Value::Builtin || base.kind == Value::Method || base.kind == Value::Type) {
    std::string_view name;
    if (auto *n = std::get_if<ast::Name>(&node.value->node))
      name = n->id;
    else if (auto *a = std::get_if<ast::Attribute>(&node.value->node))
      name = a->name;
    TypeValue type;
    if (name != "NDArray" && name != "ndarray" && name != "tuple" && name != "Tuple" &&
        name != "BufferView" && name != "unpacked" && name != "UnpackedVector")
      return error(cx, expr.at, Problem::NotIndexable, describe(base) + " cannot be indexed");
    return annotation(cx, expr, type) ? Value::ofType(type) : Value();
  }
  Value index = eval(cx, *node.index);
  if (index.isPoison() || (base.kind != Value::Dict && !areIntegers(cx, index, *node.index)))
    return Value();
  if (base.kind == Value::Array) {
    if (cx.isHost())
      return error(cx, expr.at, Problem::ArrayReadOnHost,
                   "arrays cannot be read when kernels are built");
    if (const std::vector<Value> list = indexList(index); hasSlice(list) && base.array->isView)
      return list.size() == 1 ? sliceOfView(cx, base.array, list[0], expr.at)
                              : error(cx, expr.at, Problem::SliceOfArray,
                                      "a view has one dimension, and so has its slice");
    else if (hasSlice(list))
      return loadColumn(cx, base, list, expr.at);
    auto place = elementPlace(cx, base.array, index, expr.at);
    return place ? readPlace(cx, *place, expr.at) : Value();
  }
  if (base.kind == Value::Tuple || base.kind == Value::Matrix)
    return indexMatrix(cx, base, indexList(index), expr.at);
  if (base.kind == Value::Dict) {
    if (const Value *found = findInDict(base, index))
      return *found;
    if (index.kind != Value::Str)
      return error(cx, expr.at, Problem::KeyUnknown, "the dictionary has no such key");
    std::vector<std::string_view> keys;
    for (size_t k = 0; k + 1 < base.items.size(); k += 2)
      keys.push_back(base.items[k].text);
    SourceRange key = node.index->at;
    if (std::holds_alternative<ast::StringLit>(node.index->node)) // between its quotes
      ++key.begin, --key.end;
    return unknownName(cx, key, Problem::KeyUnknown, "the dictionary has no such key", index.text,
                       keys);
  }
  if (base.kind == Value::Str && index.kind == Value::Int && index.integer >= 0 &&
      index.integer < Exact(base.text.size()))
    return Value::str(std::string(1, base.text[size_t(index.integer)]));
  return error(cx, expr.at, Problem::NotIndexable, describe(base) + " cannot be indexed");
}

Value evalAttribute(Context &cx, const ast::Expr &expr, const ast::Attribute &node) {
  // Of a struct in memory, only the member is read.
  if (auto type = structAt(cx, *node.value); type && type->find(node.name)) {
    auto place = evalPlace(cx, expr, false);
    return place ? readPlace(cx, *place, expr.at) : Value();
  }
  Value object = eval(cx, *node.value);
  return member(cx, object, node.name, expr.at);
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

//===--- Choices -----------------------------------------------------------===//

namespace {
/// True if the expression is cheap enough to be evaluated for nothing.
bool cheap(const Value &value) {
  if (value.isCompound()) {
    for (const Value &item : value.items)
      if (!cheap(item))
        return false;
    return true;
  }
  return value.kind != Value::Scalar || sizeOf(*value.expr, 8) < 8;
}
} // namespace

Value choose(Context &cx, ExprRef condition, const std::function<Value()> &whenTrue,
             const std::function<Value()> &whenFalse, SourceRange at) {
  if (!condition)
    return Value();
  if (auto *c = asConst(*condition))
    return c->bits ? whenTrue() : whenFalse();
  condition = stable(cx, Value::scalar(condition), at).expr;
  hir::Block blocks[2];
  Value values[2];
  for (int side = 0; side < 2; ++side)
    inRuntime(cx, blocks[side], [&] {
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
  // The types of both sides must have a common type.
  std::function<bool(Value &, Value &)> unify = [&](Value &a, Value &b) {
    if (a.isNumber() && b.isNumber()) {
      std::vector<ExprRef> e;
      if (!commonType(cx, e, {a, b}, at))
        return false;
      a = Value::scalar(e[0]);
      b = Value::scalar(e[1]);
      return true;
    }
    const bool isOneStruct = a.kind != Value::Struct || b.kind != Value::Struct ||
                             isSame(*a.type.structure, *b.type.structure);
    if (a.isCompound() && a.kind == b.kind && isOneStruct && a.items.size() == b.items.size() &&
        a.rows == b.rows && a.cols == b.cols) {
      for (size_t i = 0; i < a.items.size(); ++i)
        if (!unify(a.items[i], b.items[i]))
          return false;
      return true;
    }
    if (a.kind == Value::None && b.kind == Value::None)
      return true;
    error(cx, at, Problem::ConditionalSidesDiffer,
          "the two sides differ at run time: " + describe(a) + " and " + describe(b),
          "put the condition into `qd.static(...)` if it is known at compile time");
    return false;
  };
  if (!unify(values[0], values[1]))
    return Value();
  if (blocks[0].empty() && blocks[1].empty() && cheap(values[0]) && cheap(values[1])) {
    std::function<Value(const Value &, const Value &)> pick = [&](const Value &a, const Value &b) {
      Value out = a;
      if (a.kind == Value::Scalar)
        out.expr = makeSelect(condition, a.expr, b.expr, at);
      for (size_t i = 0; i < a.items.size(); ++i)
        out.items[i] = pick(a.items[i], b.items[i]);
      return out;
    };
    return pick(values[0], values[1]);
  }
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
Value shortCircuit(Context &cx, bool isAnd, Value lhs, const std::function<Value()> &rest,
                   SourceRange at) {
  lhs = stable(cx, std::move(lhs), at);
  ExprRef condition = toBool(cx, lhs, at);
  Exact constant = 0;
  if (constInt(*lhs.expr, constant))
    return (constant != 0) == isAnd ? rest() : lhs;
  // If both conditions have no effects, one bit operation is enough.
  hir::Block block;
  Value rhs;
  inRuntime(cx, block, [&] {
    rhs = rest();
    return Flow::Normal;
  });
  if (rhs.isPoison())
    return rhs;
  if (block.empty() && lhs.expr->type == Type::Bool && rhs.isNumber() &&
      typeOf(cx, rhs) == Type::Bool && cheap(rhs)) {
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
      return elementwise(cx, lhs, rhs, at, [&](const Value &a, const Value &b) {
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

Value evalComprehension(Context &cx, const ast::Expr &expr, const ast::Comprehension &node) {
  Value made = Value::of(node.key ? Value::Dict : Value::Tuple);
  made.isList = !node.key;
  cx.frame().scopes.emplace_back();
  const bool ok = evalCompFor(cx, expr, node, 0, made);
  cx.frame().scopes.pop_back();
  return ok ? made : Value();
}

/// Adds the elements that the loops from number `depth` on produce to a list or dictionary.
/// Returns false after an error.
bool evalCompFor(Context &cx, const ast::Expr &expr, const ast::Comprehension &node, size_t depth,
                 Value &made) {
  if (depth == node.loops.size()) {
    const size_t most = node.key ? 16384 : 65536; // a dictionary is searched entry by entry
    if (made.items.size() >= most || !budget(cx, expr.at)) {
      error(cx, expr.at, Problem::ListTooLong,
            std::string("this ") + (node.key ? "dictionary" : "list") + " would be too long");
      return false;
    }
    Value key = node.key ? eval(cx, *node.key) : Value::none();
    Value element = eval(cx, *node.element);
    if (key.isPoison() || element.isPoison())
      return false;
    if (node.key)
      setEntry(made, std::move(key), std::move(element));
    else
      made.items.push_back(std::move(element));
    return true;
  }
  const ast::CompFor &loop = node.loops[depth];
  Value iterable = eval(cx, *loop.iterable);
  if (iterable.isPoison())
    return false;
  std::vector<std::vector<Value>> points;
  if (iterable.kind == Value::Tuple || iterable.kind == Value::Matrix) {
    for (const Value &item : elementsOf(cx, iterable, loop.iterable->at))
      points.push_back({item});
  } else if (iterable.kind == Value::Range && !iterable.runtimeStep) {
    if (!staticPoints(cx, iterable, points, loop.iterable->at))
      return false;
  } else {
    error(cx, loop.iterable->at, Problem::ComprehensionOverRunTimeValues,
          "a comprehension runs over compile-time values, not " + describe(iterable));
    return false;
  }
  for (auto &point : points) {
    for (Value &value : point)
      value.isStatic = true;
    bindLoopTarget(cx, *loop.target, point, iterable.grouped, loop.target->at);
    bool keep = true, known = true;
    for (auto &condition : loop.conditions) {
      keep = isTruthy(cx, eval(cx, *condition), known, condition->at);
      if (!known || !keep)
        break;
    }
    if (!known || (keep && !evalCompFor(cx, expr, node, depth + 1, made)))
      return false;
  }
  return true;
}

} // namespace sextant::sema
