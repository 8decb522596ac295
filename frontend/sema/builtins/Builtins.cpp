// The table of all functions that sema itself knows, made of Operations.def, and the checks that
// its parameters ask for.
#include "frontend/sema/builtins/Builtins.h"
#include "frontend/sema/Casts.h"
#include "frontend/sema/builtins/Shared.h"
#include "frontend/sema/eval/Calls.h"
#include "frontend/sema/values/Convert.h"

namespace sextant::sema {

using hir::Type;

//===--- The table ---------------------------------------------------------===//

namespace {

using hir::BarrierReduceKind;
using hir::Combine;
using hir::FenceScope;
using hir::ShuffleKind;
using hir::UnaryOp;

// Handlers are plain functions; each row's call gives them what sets it apart.
#define CALL(HANDLER) [](Context &cx, CallSite &site) -> Value { return HANDLER; }

const Builtin builtins[] = {
#define OP(NAME, PARAMETERS, HANDLER, DOC)                                                         \
  {.name = NAME, .parameters = PARAMETERS, .handler = CALL(HANDLER)},
#define LAZY(NAME, PARAMETERS, HANDLER, DOC)                                                       \
  {.name = NAME, .parameters = PARAMETERS, .handler = CALL(HANDLER), .isLazy = true},
#define DEVICE(NAME, PARAMETERS, HANDLER, DOC)                                                     \
  {.name = NAME, .parameters = PARAMETERS, .handler = CALL(HANDLER), .isOnDevice = true},
#define OWN(NAME, PARAMETERS, HANDLER) DEVICE(NAME, PARAMETERS, HANDLER, "")
#define METHOD(NAME, PARAMETERS, HANDLER, OF, DOC)                                                 \
  {.name = "qd." NAME, .parameters = PARAMETERS, .handler = doVectorMethod},
#define OLD(NAME, CURRENT) {.name = NAME, .parameters = "", .isOnDevice = true, .current = CURRENT},
#include "frontend/sema/builtins/Operations.def"
};

#undef CALL

} // namespace

const Builtin *findBuiltin(std::string_view name) {
  for (const Builtin &builtin : builtins)
    if (name == builtin.name)
      return &builtin;
  return nullptr;
}

std::vector<std::string_view> namesOf(const std::vector<Parameter> &parameters) {
  std::vector<std::string_view> names;
  for (const Parameter &parameter : parameters)
    names.push_back(parameter.name);
  return names;
}

std::vector<std::string_view> builtinNames(std::string_view prefix) {
  std::vector<std::string_view> names;
  for (const Builtin &builtin : builtins) {
    std::string_view name = builtin.name;
    if (prefix.empty())
      name.remove_prefix(name.rfind('.') + 1);
    else if (name.starts_with(prefix))
      name.remove_prefix(prefix.size());
    else
      continue;
    if (name.find('.') == name.npos)
      names.push_back(name);
  }
  return names;
}

std::vector<Parameter> parametersOf(const Builtin &builtin) {
  std::vector<Parameter> parameters;
  std::string_view rest = builtin.parameters;
  while (!rest.empty()) {
    const size_t comma = rest.find(", ");
    const std::string_view one = rest.substr(0, comma);
    const size_t colon = one.find(": ");
    Parameter parameter{one.substr(0, colon), one.substr(colon + 2)};
    if (parameter.name.back() == '?') {
      parameter.isOptional = true;
      parameter.name.remove_suffix(1);
    }
    parameters.push_back(parameter);
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 2);
  }
  return parameters;
}

//===--- What parameters take ----------------------------------------------===//

/// A scalar of the types that move between lanes; null after an error.
static ExprRef wordOperand(Context &cx, const Value &value, SourceRange at,
                           const std::string &what) {
  if (!value.isNumber()) {
    error(cx, at, Problem::LanesTakeScalar, what + " takes a scalar, not " + describe(value),
          value.kind == Value::Matrix ? "call it for each component" : "");
    return nullptr;
  }
  ExprRef word = toRuntime(cx, value, at);
  if (!word)
    return nullptr;
  if (word->type == Type::Bool || bitWidth(word->type) < 32) {
    error(cx, at, Problem::LanesTakeWord,
          what + " takes i32, u32, i64, u64, f32 and f64, not " + spell(word->type),
          castFix(cx, isFloat(word->type) ? Type::F32 : Type::I32, at));
    return nullptr;
  }
  return word;
}

static ExprRef bitsOperand(Context &cx, const Value &value, SourceRange at,
                           const std::string &what) {
  ExprRef word = wordOperand(cx, value, at, what);
  if (!word || !isFloat(word->type))
    return word;
  error(cx, at, Problem::LanesTakeIntegers,
        what + " is bitwise and takes integers, not " + spell(word->type),
        "`qd.bit_cast` gives the bits of a real");
  return nullptr;
}

/// Lane numbers, offsets and masks: u32, or what converts to it without loss.
static ExprRef laneOperand(Context &cx, const Value &value, SourceRange at,
                           const std::string &what) {
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
    error(cx, at, Problem::LaneNotU32,
          "a lane number, offset or mask of " + what + " is u32, not " + spell(type),
          castFix(cx, Type::U32, at));
    return nullptr;
  }
  error(cx, at, Problem::LaneNotU32,
        "a lane number, offset or mask of " + what + " is u32, not " + describe(value));
  return nullptr;
}

static ExprRef predicateOperand(Context &cx, const Value &value, SourceRange at,
                                const std::string &what) {
  if (!value.isNumber()) {
    error(cx, at, Problem::PredicateNotInteger,
          what + " takes an integer predicate, not " + describe(value));
    return nullptr;
  }
  ExprRef predicate = toRuntime(cx, value, at);
  if (!predicate)
    return nullptr;
  if (isFloat(predicate->type)) {
    error(cx, at, Problem::PredicateNotInteger,
          what + " takes an integer predicate, not " + spell(predicate->type),
          "compare it, as in `x != 0`");
    return nullptr;
  }
  return makeCast(predicate, Type::Bool, at);
}

static ExprRef truthOperand(Context &cx, const Value &value, SourceRange at,
                            const std::string &what) {
  if (value.isNumber())
    return toBool(cx, value, at);
  error(cx, at, Problem::PredicateNotScalar,
        what + " takes a scalar predicate, not " + describe(value));
  return nullptr;
}

namespace {

struct OperandType {
  std::string_view name;
  ExprRef (*operand)(Context &, const Value &, SourceRange, const std::string &what);
};

constexpr OperandType operandTypes[] = {
    {"word", wordOperand},           {"bits", bitsOperand},   {"lane", laneOperand},
    {"predicate", predicateOperand}, {"truth", truthOperand},
};

} // namespace

bool checkOperands(Context &cx, CallSite &site) {
  const std::vector<Parameter> parameters = parametersOf(*site.builtin);
  site.operands.resize(parameters.size());
  const std::string what = userCall(cx, site);
  for (size_t k = 0; k < parameters.size(); ++k)
    for (const OperandType &type : operandTypes) {
      if (type.name != parameters[k].takes)
        continue;
      const Writing writing(cx, {site.nodes[k]});
      site.operands[k] = type.operand(cx, site.args[k], site.at, what);
      if (!site.operands[k])
        return false;
    }
  return true;
}

} // namespace sextant::sema
