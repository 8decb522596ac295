// The kinds of parameters: each word of Operations.def is a row here. The row tests an argument and
// converts it for the call.
#include "frontend/sema/Casts.h"
#include "frontend/sema/Struct.h"
#include "frontend/sema/builtins/Builtins.h"
#include "frontend/sema/builtins/Shared.h"
#include "frontend/sema/eval/Calls.h"
#include "frontend/sema/values/Convert.h"

#include <algorithm>

namespace sextant::sema {

using hir::Type;

namespace {

//===--- Operands: scalars as expressions ----------------------------------===//

/// A scalar of the types that move between lanes; null after an error.
ExprRef wordOperand(Context &cx, const Value &value, SourceRange at, const std::string &what) {
  if (!value.isNumber())
    return error(cx, at, Problem::LanesTakeScalar, what + " takes a scalar, not " + describe(value),
                 value.kind == Value::Matrix ? "call it for each component" : "");
  ExprRef word = toRuntime(cx, value, at);
  if (!word)
    return nullptr;
  if (word->type == Type::Bool || bitWidth(word->type) < 32)
    return error(cx, at, Problem::LanesTakeWord,
                 what + " takes i32, u32, i64, u64, f32 and f64, not " + spell(word->type),
                 castFix(cx, isFloat(word->type) ? Type::F32 : Type::I32, at));
  return word;
}

ExprRef bitsOperand(Context &cx, const Value &value, SourceRange at, const std::string &what) {
  ExprRef word = wordOperand(cx, value, at, what);
  if (!word || !isFloat(word->type))
    return word;
  return error(cx, at, Problem::LanesTakeIntegers,
               what + " is bitwise and takes integers, not " + spell(word->type),
               "`qd.bit_cast` gives the bits of a real");
}

/// Lane numbers, offsets and masks: u32, or what converts to it without loss.
ExprRef laneOperand(Context &cx, const Value &value, SourceRange at, const std::string &what) {
  if (value.kind == Value::Int && value.integer >= 0 && value.integer <= maxOf(Type::U32))
    return makeInt(value.integer, Type::U32, at);
  if (value.kind == Value::Bool)
    return makeInt(value.integer, Type::U32, at);
  if (value.kind == Value::Scalar) {
    Type type = value.expr->type;
    Exact constant = 0;
    if (type == Type::Bool || (isUnsigned(type) && bitWidth(type) <= 32) ||
        (constInt(*value.expr, constant) && constant >= 0 && constant <= maxOf(Type::U32)))
      return makeCast(value.expr, Type::U32, at);
    return error(cx, at, Problem::LaneNotU32,
                 "a lane number, offset or mask of " + what + " is u32, not " + spell(type),
                 castFix(cx, Type::U32, at));
  }
  return error(cx, at, Problem::LaneNotU32,
               "a lane number, offset or mask of " + what + " is u32, not " + describe(value));
}

ExprRef predicateOperand(Context &cx, const Value &value, SourceRange at, const std::string &what) {
  if (!value.isNumber())
    return error(cx, at, Problem::PredicateNotInteger,
                 what + " takes an integer predicate, not " + describe(value));
  ExprRef predicate = toRuntime(cx, value, at);
  if (!predicate)
    return nullptr;
  if (isFloat(predicate->type))
    return error(cx, at, Problem::PredicateNotInteger,
                 what + " takes an integer predicate, not " + spell(predicate->type),
                 "compare it, as in `x != 0`");
  return makeCast(predicate, Type::Bool, at);
}

ExprRef truthOperand(Context &cx, const Value &value, SourceRange at, const std::string &what) {
  if (value.isNumber())
    return toBool(cx, value, at);
  return error(cx, at, Problem::PredicateNotScalar,
               what + " takes a scalar predicate, not " + describe(value));
}

//===--- Values ------------------------------------------------------------===//
// Each returns true if the parameter takes the value, which may become another one; false with a
// poison value if an error was reported.

bool isInteger(const Value &value) {
  return value.kind == Value::Int || value.kind == Value::Bool ||
         (value.kind == Value::Scalar && !isFloat(value.expr->type));
}

bool takeNumber(Context &, Value &value, SourceRange) {
  return value.isNumber() || value.kind == Value::Matrix;
}

bool takeNumbers(Context &cx, Value &value, SourceRange at) {
  if (value.kind == Value::Tuple)
    value = toMatrix(cx, value, at);
  return takeNumber(cx, value, at);
}

bool takeScalar(Context &, Value &value, SourceRange) { return value.isNumber(); }

bool takeInteger(Context &, Value &value, SourceRange) {
  return value.kind == Value::Matrix ? std::ranges::all_of(value.items, isInteger)
                                     : isInteger(value);
}

bool takeIndex(Context &, Value &value, SourceRange) { return isInteger(value); }

bool takeMatrix(Context &cx, Value &value, SourceRange at) {
  if (value.kind == Value::Tuple)
    value = toMatrix(cx, value, at);
  return value.kind == Value::Matrix;
}

bool takeVector(Context &cx, Value &value, SourceRange at) {
  return takeMatrix(cx, value, at) && value.vector;
}

bool takeSquare(Context &cx, Value &value, SourceRange at) {
  return takeMatrix(cx, value, at) && !value.vector && value.rows == value.cols;
}

bool takeItems(Context &, Value &value, SourceRange) {
  return value.kind == Value::Tuple || value.kind == Value::Matrix;
}

bool takeDtype(Context &cx, Value &value, SourceRange) {
  ElementType type;
  if (!dtypeOf(value, cx.options, type.type))
    return false;
  value = Value::ofElement(type);
  return true;
}

} // namespace

bool takeElement(Context &cx, Value &value, SourceRange at) {
  return isElementType(value) || takeDtype(cx, value, at);
}

namespace {

bool takeType(Context &cx, Value &value, SourceRange at) {
  return takeElement(cx, value, at) && value.type.kind == TypeValue::Element;
}

bool takeStatic(Context &, Value &value, SourceRange) {
  const std::optional<Exact> known = knownInt(value);
  if (known)
    value = Value::exactInt(*known);
  return known.has_value();
}

bool takeFlag(Context &cx, Value &value, SourceRange at) {
  bool isKnown = false;
  const bool truth = isTruthy(cx, value, isKnown, at);
  value = isKnown ? Value::exactBool(truth) : Value();
  return isKnown;
}

bool takeText(Context &, Value &value, SourceRange) { return value.kind == Value::Str; }

bool takeArray(Context &, Value &value, SourceRange) { return value.kind == Value::Array; }

struct Word {
  std::string_view name;
  Problem problem;
  const char *taken; ///< in messages
  bool (*take)(Context &, Value &, SourceRange) = nullptr;
  ExprRef (*operand)(Context &, const Value &, SourceRange, const std::string &what) = nullptr;
  const char *fix = "";
};

constexpr const char *howToKnow =
    "use a literal, a module constant, `qd.static(...)`, or a `qd.template()` parameter";

constexpr const char *howToConvert = "`qd.bit_cast` gives the bits of a real number as an integer";

constexpr Word words[] = {
    {"word", {}, "", nullptr, wordOperand},
    {"bits", {}, "", nullptr, bitsOperand},
    {"lane", {}, "", nullptr, laneOperand},
    {"predicate", {}, "", nullptr, predicateOperand},
    {"truth", {}, "", nullptr, truthOperand},
    {"number", Problem::NumberNeeded, "a number or a vector", takeNumber},
    {"numbers", Problem::NumberNeeded, "a number, a vector or a list of numbers", takeNumbers},
    {"scalar", Problem::NumberNeeded, "a number", takeScalar},
    {"integer", Problem::IntegerNeeded, "an integer", takeInteger, nullptr, howToConvert},
    {"index", Problem::IntegerNeeded, "an integer", takeIndex, nullptr, howToConvert},
    {"vector", Problem::VectorNeeded, "a vector", takeVector},
    {"matrix", Problem::MatrixNeeded, "a vector or a matrix", takeMatrix},
    {"square", Problem::NotSquareOrTooLarge, "a square matrix", takeSquare},
    {"list", Problem::VectorOrListNeeded, "a vector or a list", takeMatrix},
    {"items", Problem::VectorOrListNeeded, "a vector, a matrix, a tuple or a list", takeItems},
    {"dtype", Problem::DtypeNeeded, "a scalar type", takeDtype, nullptr,
     "write `qd.f32` or another"},
    {"type", Problem::DtypeNeeded, "a type of numbers, vectors or matrices", takeType},
    {"element", Problem::DtypeNeeded, "a type of numbers, vectors, matrices or structs",
     takeElement},
    {"static", Problem::ArgumentNotStatic, "a compile-time integer", takeStatic, nullptr,
     howToKnow},
    {"flag", Problem::ArgumentNotStatic, "a compile-time truth value", takeFlag},
    {"text", Problem::ArgumentNotStatic, "a compile-time string", takeText},
    {"array", Problem::ArgumentNotNdarray, "an array or a field", takeArray},
};

const Word *findWord(std::string_view name) {
  auto *found = std::ranges::find(words, name, &Word::name);
  return found != std::end(words) ? found : nullptr;
}

/// How messages begin.
std::string asked(Context &cx, const CallSite &site, const Parameter &parameter) {
  const std::string call = userCall(cx, site);
  return parameter.name == "self"
             ? call + " needs "
             : "`" + std::string(parameter.name) + "` of " + call + " has to be ";
}

/// Tests an argument, and makes of it what the parameter takes. False: there was an error.
bool checkValue(Context &cx, CallSite &site, size_t k, const Word &word) {
  const Parameter &parameter = site.parameters[k];
  Value &value = site.args[k];
  const SourceRange at = site.nodes[k] ? site.nodes[k]->at : site.at;
  bool fits = word.take(cx, value, at);
  if (fits && parameter.hasRange()) {
    const Exact measure = value.kind == Value::Matrix ? Exact(value.rows) : value.integer;
    fits = measure >= parameter.least && measure <= parameter.most;
  }
  if (fits || value.isPoison())
    return fits;
  if (value.kind == Value::Int && parameter.hasRange())
    return error(cx, at, Problem::ArgumentOutOfRange,
                 asked(cx, site, parameter) + "between " + std::to_string(parameter.least) +
                     " and " + std::to_string(parameter.most) + ", not " + spell(value.integer));
  const bool isMatrix = value.kind == Value::Matrix;
  return error(cx, at, word.problem,
               asked(cx, site, parameter) + word.taken +
                   (word.take == takeSquare && parameter.hasRange()
                        ? " of at most " + std::to_string(parameter.most) + " rows"
                        : "") +
                   ", not " + (isMatrix ? "a " + spell(elementOf(cx, value)) : describe(value)),
               isMatrix && word.take == takeScalar ? "call it for each component"
               : value.isRuntime() || word.problem == Problem::DtypeNeeded ? word.fix
                                                                           : "");
}

} // namespace

bool checkOperands(Context &cx, CallSite &site) {
  const std::vector<Parameter> &parameters = site.parameters;
  site.operands.resize(parameters.size());
  for (size_t k = 0; k < parameters.size(); ++k) {
    const Word *word = findWord(parameters[k].takes);
    // None says the same of a setting as nothing does.
    const bool isNumber = word && word->problem == Problem::NumberNeeded;
    if (parameters[k].isOptional && site.args[k].kind == Value::None && !isNumber)
      site.given[k] = false;
    if (!word || !site.given[k])
      continue;
    const Writing writing(cx, {site.nodes[k]});
    if (word->operand)
      site.operands[k] = word->operand(cx, site.args[k], site.at, userCall(cx, site));
    if (word->operand ? !site.operands[k] : !checkValue(cx, site, k, *word))
      return false;
  }
  return true;
}

} // namespace sextant::sema
