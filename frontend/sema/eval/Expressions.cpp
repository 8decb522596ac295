// Expressions, one function for each kind. An expression that has effects or reads memory is
// emitted as a statement at once; the value that comes back is pure.
#include "frontend/sema/eval/Expressions.h"
#include "frontend/sema/Builtin.h"
#include "frontend/sema/Context.h"
#include "frontend/sema/Struct.h"
#include "frontend/sema/eval/Annotations.h"
#include "frontend/sema/eval/Assertions.h"
#include "frontend/sema/eval/Calls.h"
#include "frontend/sema/eval/Choices.h"
#include "frontend/sema/eval/Classes.h"
#include "frontend/sema/eval/LoopBody.h"
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

#include <algorithm>
#include <cmath>
#include <iterator>

namespace sextant::sema {

using hir::Type;

/// Returns false after an error: a value of compile time would consist of too many others. Each
/// operation on values of that size, and there may be many, would double what memory they take.
static bool mayHold(Context &cx, size_t values, SourceRange at) {
  if (values <= mostValues)
    return true;
  return error(cx, at, Problem::ListTooLong,
               "this would consist of more than " + std::to_string(mostValues) +
                   " values or 16 times as many characters",
               "keep large tables in a field or an array");
}

std::optional<std::vector<Value>> unpacked(Context &cx, const ast::Starred &items, SourceRange at) {
  const Value value = eval(cx, *items.value);
  if (value.kind == Value::Tuple || value.kind == Value::Matrix)
    return elementsOf(cx, value, at);
  if (!value.isPoison())
    error(cx, at, Problem::StarOfNoTuple, "`*` needs a tuple, not " + describe(value));
  return std::nullopt;
}

std::vector<Value> evalItems(Context &cx, const ast::ExprPtr &expr, bool &bad) {
  if (auto *starred = std::get_if<ast::Starred>(&expr->node)) {
    const std::optional<std::vector<Value>> items = unpacked(cx, *starred, expr->at);
    bad |= !items;
    return items.value_or(std::vector<Value>());
  }
  Value value = eval(cx, *expr);
  bad |= value.isPoison();
  return {std::move(value)};
}

std::vector<Value> evalItems(Context &cx, const std::vector<ast::ExprPtr> &exprs, bool &bad) {
  std::vector<Value> items;
  size_t count = 0;
  for (const ast::ExprPtr &expr : exprs) {
    for (Value &item : evalItems(cx, expr, bad)) {
      count += valuesIn(item);
      if (count > mostValues) {
        bad |= !mayHold(cx, count, expr->at);
        return {};
      }
      items.push_back(std::move(item));
    }
    if (bad && cx.program.quiet > 0) // nobody hears what is wrong with the others
      return {};
  }
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

/// Returns what to write instead of an expression that Python has and kernels do not have.
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
      {"'await'", "call a function under `@qd.func`"},
      {"a character by its name", "write the character, or its number, as in `\\u2022`"},
      {"an escape without its digits", "write two digits after `\\x`, four after `\\u`"},
      {"a string of bytes", "write a string, or an array of u8"},
      {"a template string", "write an f-string"},
      {"a place that is not understood", "write `{…}` with an expression, then `!s` or `!r`, then "
                                         "`:` and a format; `{{` is a brace"}};
  for (auto &[known, instead] : others)
    if (what == known)
      return instead;
  return {};
}

static Value notInKernels(Context &cx, SourceRange at, std::string_view what) {
  return error(cx, at, Problem::ExpressionNotInKernels,
               (what.empty() ? "this" : std::string(what)) + " cannot be used in kernels",
               std::string(insteadOf(what)));
}

/// The value of a literal; nullopt for other expressions.
static std::optional<Value> literal(Context &cx, const ast::Expr &expr) {
  const auto &node = expr.node;
  if (auto *n = std::get_if<ast::IntLit>(&node)) {
    if (n->tooBig)
      return Value(
          error(cx, expr.at, Problem::IntegerTooLarge, "this integer does not fit 64 bits"));
    return Value::exactInt(n->value);
  }
  if (auto *n = std::get_if<ast::FloatLit>(&node)) {
    if (std::isinf(n->value))
      return Value(error(cx, expr.at, Problem::RealTooLarge,
                         "this real number is more than f64 holds",
                         "write `math.inf` if infinity is meant"));
    return Value::exactFloat(n->value);
  }
  if (auto *n = std::get_if<ast::BoolLit>(&node))
    return Value::exactBool(n->value);
  if (std::holds_alternative<ast::NoneLit>(node))
    return Value::none();
  if (auto *n = std::get_if<ast::StringLit>(&node)) {
    return n->unread.empty() ? Value::str(n->value) : notInKernels(cx, expr.at, n->unread);
  }
  return std::nullopt;
}

static Value evalBinary(Context &cx, const ast::Expr &expr, const ast::Binary &node) {
  Value lhs = eval(cx, *node.lhs);
  if (lhs.isPoison() && cx.program.quiet > 0)
    return lhs;
  Value rhs = eval(cx, *node.rhs);
  if (lhs.kind == Value::Str && node.op == ast::BinaryOp::Mod) {
    auto text = formatMessage(cx, lhs.text, rhs, expr.at);
    if (text && !text->values.empty())
      return error(cx, expr.at, Problem::FormatOfRunTimeValue,
                   "a text takes compile-time values, not " + describe(rhs),
                   "only the message of an `assert` takes values of run time");
    return text ? Value::str(std::move(text->text)) : Value();
  }
  return binary(cx, node.op, lhs, rhs, expr.at);
}

/// `lower:upper:step` in an index.
static Value evalSlice(Context &cx, const ast::Expr &expr, const ast::Slice &node) {
  Value slice = Value::of(Value::Slice);
  for (const ast::ExprPtr *bound : {&node.lower, &node.upper, &node.step}) {
    Value value = *bound ? eval(cx, **bound) : Value::none();
    if (value.isPoison())
      return value;
    if (value.kind != Value::None && value.kind != Value::Scalar) {
      const std::optional<Exact> exact = exactInt(cx, value, (*bound)->at, "a bound of a slice");
      if (!exact)
        return Value();
      value = Value::exactInt(*exact);
    }
    slice.items.push_back(std::move(value));
  }
  if (slice.items[2].kind == Value::Int && slice.items[2].integer == 0)
    return error(cx, expr.at, Problem::SliceStepZero, "the step of a slice cannot be 0");
  return slice;
}

/// A name's value. One that a `:=` assigns may change before the rest of the expression is
/// evaluated, and is copied.
static Value evalName(Context &cx, std::string_view name, SourceRange at) {
  Value value = lookup(cx, name, at);
  const ast::FunctionDef *function = cx.frame().function;
  if (!function ||
      std::find(function->named.begin(), function->named.end(), name) == function->named.end())
    return value;
  return snapshot(cx, std::move(value), at);
}

/// `(p := value)`. A new name is known from here to the end of the block that the statement is in,
/// also where only one side of an `and`, or of a choice, assigns it.
static Value evalNamed(Context &cx, const ast::Expr &expr, const ast::NamedExpr &node) {
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

/// Returns false after an error: entries are found when kernels are built, by what cannot change.
static bool mayBeKey(Context &cx, const Value &key, SourceRange at) {
  if (key.isRuntime())
    error(cx, at, Problem::KeyUnknown,
          "a key of a dictionary is known when kernels are built, and this is " + describe(key),
          "keep what is found by values of run time in an array");
  else if (key.isList || key.kind == Value::Dict || key.kind == Value::Matrix)
    error(cx, at, Problem::KeyUnknown, describe(key) + " cannot be a key of a dictionary",
          "write a tuple");
  else
    return key.kind != Value::Tuple || std::ranges::all_of(key.items, [&](const Value &item) {
             return mayBeKey(cx, item, at);
           });
  return false;
}

/// A dictionary. Of equal keys, the last one's value counts.
static Value evalDict(Context &cx, const ast::DictExpr &node) {
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
    if (key.isPoison() || value.isPoison() || !mayBeKey(cx, key, node.keys[k]->at))
      return Value();
    setEntry(dict, std::move(key), settled(cx, std::move(value), node.values[k]->at));
  }
  return dict;
}

static Value evalSubscript(Context &cx, const ast::Expr &expr, const ast::Subscript &node) {
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
    auto place = elementPlace(cx, base.array, index, expr.at, Access::Read);
    return place ? readPlace(cx, *place, expr.at) : Value();
  }
  if (base.kind == Value::Tuple || base.kind == Value::Matrix)
    return indexMatrix(cx, base, indexList(index), expr.at);
  if (base.kind == Value::Dict) {
    if (!mayBeKey(cx, index, node.index->at))
      return Value();
    if (const Value *found = findInDict(base, index))
      return *found;
    if (index.kind != Value::Str)
      return error(cx, expr.at, Problem::KeyUnknown, "the dictionary has no such key");
    std::vector<std::string_view> keys;
    for (size_t k = 0; k + 1 < base.items.size(); k += 2)
      keys.push_back(base.items[k].text);
    return unknownName(cx, node.index->at, Problem::KeyUnknown, "the dictionary has no such key",
                       index.text, keys);
  }
  if (base.kind == Value::Str && index.kind == Value::Int && index.integer >= 0 &&
      index.integer < Exact(base.text.size()))
    return Value::str(std::string(1, base.text[size_t(index.integer)]));
  return error(cx, expr.at, Problem::NotIndexable, describe(base) + " cannot be indexed");
}

static Value evalAttribute(Context &cx, const ast::Expr &expr, const ast::Attribute &node) {
  // If the struct is in memory, only the member is read.
  if (auto type = structAt(cx, *node.value); type && type->find(node.name)) {
    auto place = evalPlace(cx, expr, false);
    return place ? readPlace(cx, *place, expr.at) : Value();
  }
  Value object = eval(cx, *node.value);
  return member(cx, object, node.name, expr.at);
}

/// Adds the elements that the loops from number `depth` on produce to a list or dictionary.
/// Returns false after an error. `count` is of the values in it.
static bool evalCompFor(Context &cx, const ast::Expr &expr, const ast::Comprehension &node,
                        size_t depth, Value &made, size_t &count) {
  if (depth == node.loops.size()) {
    const size_t most = node.key ? 16384 : mostValues; // a dictionary is searched entry by entry
    Value key = node.key ? eval(cx, *node.key) : Value::none();
    Value element = eval(cx, *node.element);
    if (key.isPoison() || element.isPoison() || (node.key && !mayBeKey(cx, key, node.key->at)))
      return false;
    count += valuesIn(element);
    if (made.items.size() >= most || count > mostValues || !budget(cx, expr.at))
      return error(cx, expr.at, Problem::ListTooLong,
                   std::string("this ") + (node.key ? "dictionary" : "list") +
                       " would be too long");
    if (node.key)
      setEntry(made, std::move(key), settled(cx, std::move(element), node.element->at));
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
    return error(cx, loop.iterable->at, Problem::ComprehensionOverRunTimeValues,
                 "a comprehension runs over compile-time values, not " + describe(iterable));
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
    if (!known || (keep && !evalCompFor(cx, expr, node, depth + 1, made, count)))
      return false;
  }
  return true;
}

static Value evalComprehension(Context &cx, const ast::Expr &expr, const ast::Comprehension &node) {
  Value made = Value::of(node.key ? Value::Dict : Value::Tuple);
  made.isList = !node.key;
  cx.frame().scopes.emplace_back();
  size_t count = 0;
  const bool ok = evalCompFor(cx, expr, node, 0, made, count);
  cx.frame().scopes.pop_back();
  return ok ? made : Value();
}

static Value evalNode(Context &cx, const ast::Expr &expr) {
  const auto &node = expr.node;
  if (auto *n = std::get_if<ast::Name>(&node))
    return evalName(cx, n->id, expr.at);
  if (std::optional<Value> value = literal(cx, expr))
    return *value;
  if (isTextWithFields(expr))
    return textOf(cx, expr);
  if (auto *n = std::get_if<ast::Binary>(&node))
    return evalBinary(cx, expr, *n);
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
    return notInKernels(cx, expr.at, n->what);
  if (std::holds_alternative<ast::EllipsisLit>(node))
    return error(cx, expr.at, Problem::EllipsisHasNoValue, "`...` has no value here");
  if (auto *n = std::get_if<ast::Slice>(&node))
    return evalSlice(cx, expr, *n);
  return error(cx, expr.at, Problem::ExpressionOutOfPlace, "this expression cannot stand here");
}

Value eval(Context &cx, const ast::Expr &expr) {
  if (!budget(cx, expr.at) || !stackLeft(cx, expr.at))
    return Value();
  Value value = evalNode(cx, expr);
  // A plain read does not make a value larger.
  const bool isRead = std::holds_alternative<ast::Name>(expr.node) ||
                      std::holds_alternative<ast::Attribute>(expr.node) ||
                      std::holds_alternative<ast::Subscript>(expr.node);
  return isRead || mayHold(cx, valuesIn(value), expr.at) ? value : Value();
}

} // namespace sextant::sema
