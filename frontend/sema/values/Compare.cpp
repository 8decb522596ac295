// Comparisons: of what is known when kernels are built, as Python has them, and of scalars at run
// time.
#include "frontend/sema/Struct.h"
#include "frontend/sema/values/Convert.h"
#include "frontend/sema/values/Operators.h"

namespace sextant::sema {

using hir::Type;

namespace {
bool sameType(const TypeValue &a, const TypeValue &b) {
  return a.kind == b.kind && a.element.type == b.element.type && a.element.rows == b.element.rows &&
         a.element.cols == b.element.cols && a.ndim == b.ndim && !a.structure == !b.structure &&
         (!a.structure || isSame(*a.structure, *b.structure));
}
/// Equal if both are, and unknown if one may differ.
std::optional<bool> both(std::optional<bool> a, std::optional<bool> b) {
  return a == false || b == false ? false : a ? b : std::nullopt;
}

/// The same of items in order.
std::optional<bool> areItemsEqual(const Value &a, const Value &b) {
  if (a.items.size() != b.items.size())
    return false;
  std::optional<bool> all = true;
  for (size_t i = 0; i < a.items.size() && all != false; ++i)
    all = both(all, areEqual(a.items[i], b.items[i]));
  return all;
}

/// The same of two dictionaries of one size.
std::optional<bool> areEntriesEqual(const Value &a, const Value &b) {
  std::optional<bool> all = true;
  for (size_t k = 0; k + 1 < a.items.size() && all != false; k += 2) {
    const Value *other = findInDict(b, a.items[k]);
    all = both(all, other ? areEqual(a.items[k + 1], *other) : false);
  }
  return all;
}

} // namespace

std::optional<bool> areEqual(const Value &a, const Value &b) {
  if (a.isExact() && b.isExact()) {
    if (a.kind != Value::Float && b.kind != Value::Float)
      return a.integer == b.integer;
    double x = a.kind == Value::Float ? a.real : double(a.integer);
    double y = b.kind == Value::Float ? b.real : double(b.integer);
    return x == y;
  }
  if (a.isNumber() && b.isNumber())
    return a.expr == b.expr ? std::optional(true) : std::nullopt;
  // Python's `int` and `float` stand for the default types.
  if (a.kind != b.kind)
    return false;
  switch (a.kind) {
  case Value::None:
    return true;
  case Value::Str:
  case Value::Namespace:
    return a.text == b.text;
  case Value::Type:
    return sameType(a.type, b.type);
  case Value::Function:
    return a.function == b.function;
  case Value::Builtin:
    return a.builtin == b.builtin;
  case Value::Module:
    return a.module == b.module;
  case Value::Array:
    return a.array == b.array;
  case Value::Range:
    if (a.step != b.step || a.axes != b.axes || a.grouped != b.grouped)
      return false;
    return areItemsEqual(a, b);
  case Value::Tuple:
  case Value::Slice:
  case Value::Node:
    return areItemsEqual(a, b);
  case Value::Method:
    if (a.text != b.text || a.function != b.function)
      return false;
    return areItemsEqual(a, b);
  case Value::Struct:
    if (!isAlike(*a.type.structure, *b.type.structure))
      return false;
    return areItemsEqual(a, b);
  case Value::Dict:
    if (a.items.size() != b.items.size())
      return false;
    return areEntriesEqual(a, b);
  default:
    return std::nullopt;
  }
}

const Value *findInDict(const Value &dict, const Value &key) {
  const Value *found = nullptr;
  for (size_t k = 0; k + 1 < dict.items.size(); k += 2)
    if (areEqual(dict.items[k], key) == true)
      found = &dict.items[k + 1];
  return found;
}

namespace {

/// `a in b`.
Value contains(Context &cx, const Value &a, const Value &b, SourceRange at) {
  if (b.kind == Value::Str && a.kind == Value::Str)
    return Value::exactBool(b.text.find(a.text) != std::string::npos);
  if (b.kind == Value::Dict && !a.isRuntime())
    return Value::exactBool(findInDict(b, a) != nullptr);
  if (b.kind != Value::Tuple)
    return error(cx, at, Problem::InOfRunTimeValue,
                 "`in` needs a compile-time tuple or list on its right, not " + describe(b),
                 b.kind == Value::Matrix  ? "write `(v == x).any()`"
                 : b.kind == Value::Array ? "compare with each element in a loop"
                                          : "");
  Value any = Value::exactBool(false);
  for (const Value &item : b.items) {
    Value equal = compare(cx, ast::CompareOp::Eq, a, item, at);
    if (equal.isPoison())
      return equal;
    if (equal.kind == Value::Bool) {
      if (equal.integer)
        return equal;
    } else {
      any = binary(cx, ast::BinaryOp::Or, any, equal, at);
    }
  }
  return any;
}

/// Edits that write `==` for the one `is` in a range, or `!=` for `is not`.
static std::vector<Edit> equalityEdits(SourceRange at, bool isSame) {
  const std::string word = isSame ? " is " : " is not ";
  const std::string_view text = at.file ? at.file->text().substr(0, at.end) : std::string_view();
  const size_t place = text.find(word, at.begin);
  if (place == text.npos || text.find(" is ", place + 1) != text.npos)
    return {};
  const auto begin = uint32_t(place + 1), end = uint32_t(place + word.size() - 1);
  return {{{at.file, begin, end}, isSame ? "==" : "!="}};
}

/// `a is b`, or `a is not b`.
Value compareIdentity(Context &cx, bool isSame, const Value &a, const Value &b, SourceRange at) {
  const bool isNone = a.kind == Value::None || b.kind == Value::None;
  if (a.isRuntime() || b.isRuntime()) {
    if (isNone && cx.staticDepth)
      return Value::exactBool(!isSame);
    return error(cx, at, Problem::IsOfRunTimeValue,
                 "`is` compares what is known when kernels are built, not a run-time value",
                 isNone ? "a number is never None; `qd.static(x is None)` asks whether a "
                          "parameter was given"
                        : "use `==` or `!=`");
  }
  for (const Value *side : {&a, &b})
    if (side->kind == Value::Int || side->kind == Value::Float || side->kind == Value::Tuple)
      if (!isNone)
        return error(cx, at, Problem::IsOfNumbers, "`is` compares names, not numbers",
                     Fix("use `==` or `!=`", equalityEdits(at, isSame)));
  return Value::exactBool(areEqual(a, b).value_or(false) == isSame);
}

/// `a op b`, for what C++ compares.
template <typename T> bool holds(ast::CompareOp op, const T &a, const T &b) {
  using C = ast::CompareOp;
  switch (op) {
  case C::Lt:
    return a < b;
  case C::Le:
    return a <= b;
  case C::Gt:
    return a > b;
  case C::Ge:
    return a >= b;
  case C::Eq:
    return a == b;
  default:
    return a != b;
  }
}

/// `a == b` of tuples or lists: true if all of their items are equal.
Value compareItems(Context &cx, const Value &a, const Value &b, SourceRange at) {
  if (a.items.size() != b.items.size())
    return Value::exactBool(false);
  Value all = Value::exactBool(true);
  for (size_t k = 0; k < a.items.size(); ++k) {
    const Value equal = compare(cx, ast::CompareOp::Eq, a.items[k], b.items[k], at);
    if (equal.isPoison() || (equal.kind == Value::Bool && !equal.integer))
      return equal;
    if (equal.kind != Value::Bool)
      all = binary(cx, ast::BinaryOp::And, all, equal, at);
  }
  return all;
}

/// Compares two values of which at least one is not a number.
Value compareStatic(Context &cx, ast::CompareOp op, const Value &a, const Value &b,
                    SourceRange at) {
  const auto refuse = [&](const char *fix) {
    return error(cx, at, Problem::NotComparable,
                 "cannot compare " + describe(a) + " with " + describe(b), fix);
  };
  if (a.kind == Value::Struct || b.kind == Value::Struct)
    return refuse("compare members");
  if (op == ast::CompareOp::Eq || op == ast::CompareOp::Ne) {
    const bool isEqual = op == ast::CompareOp::Eq;
    if (a.isRuntime() != b.isRuntime() && (a.isNumber() || b.isNumber()))
      return refuse("");
    if (a.kind == Value::Tuple && b.kind == Value::Tuple) {
      Value equal = compareItems(cx, a, b, at);
      return isEqual ? equal : unary(cx, ast::UnaryOp::Not, equal, at);
    }
    const std::optional<bool> equal = areEqual(a, b);
    return equal ? Value::exactBool(*equal == isEqual) : Value(refuse("compare their parts"));
  }
  if (a.kind == Value::Str && b.kind == Value::Str)
    return Value::exactBool(holds(op, a.text, b.text));
  return error(cx, at, Problem::NotOrderable,
               "cannot order " + describe(a) + " and " + describe(b));
}

Value compareExact(ast::CompareOp op, const Value &a, const Value &b) {
  if (a.kind != Value::Float && b.kind != Value::Float)
    return Value::exactBool(holds(op, a.integer, b.integer));
  double x = a.kind == Value::Float ? a.real : double(a.integer);
  double y = b.kind == Value::Float ? b.real : double(b.integer);
  return Value::exactBool(holds(op, x, y));
}

/// At run time.
Value compareScalars(Context &cx, ast::CompareOp op, const Value &a, const Value &b,
                     SourceRange at) {
  using C = ast::CompareOp;
  using H = hir::BinaryOp;
  std::vector<ExprRef> e;
  if (!commonType(cx, e, {a, b}, at))
    return Value();
  H h = op == C::Lt   ? H::Lt
        : op == C::Le ? H::Le
        : op == C::Gt ? H::Gt
        : op == C::Ge ? H::Ge
        : op == C::Eq ? H::Eq
                      : H::Ne;
  if (e[0]->type == Type::Bool && h != H::Eq && h != H::Ne)
    for (auto &x : e)
      x = makeCast(x, Type::I32, at);
  return Value::scalar(makeBinary(h, std::move(e[0]), std::move(e[1]), Type::Bool, at));
}
} // namespace

Value compare(Context &cx, ast::CompareOp op, const Value &a, const Value &b, SourceRange at) {
  using C = ast::CompareOp;
  if (a.isPoison() || b.isPoison())
    return Value();
  if (op == C::In)
    return contains(cx, a, b, at);
  if (op == C::NotIn)
    return unary(cx, ast::UnaryOp::Not, contains(cx, a, b, at), at);
  if (op == C::Is || op == C::IsNot)
    return compareIdentity(cx, op == C::Is, a, b, at);
  if (a.kind == Value::Matrix || b.kind == Value::Matrix)
    return elementwise(cx, a, b, at,
                       [&](const Value &x, const Value &y) { return compare(cx, op, x, y, at); });
  if (!a.isNumber() || !b.isNumber())
    return compareStatic(cx, op, a, b, at);
  return a.isExact() && b.isExact() ? compareExact(op, a, b) : compareScalars(cx, op, a, b, at);
}

} // namespace sextant::sema
