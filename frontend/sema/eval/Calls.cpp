// Calls: of builtins through the table, of types, of methods.
#include "frontend/sema/eval/Calls.h"
#include "frontend/sema/Context.h"
#include "frontend/sema/eval/Classes.h"
#include "frontend/sema/eval/Expressions.h"
#include "frontend/sema/eval/Fields.h"
#include "frontend/sema/eval/Functions.h"
#include "frontend/sema/eval/Names.h"
#include "frontend/sema/eval/Placement.h"
#include "frontend/sema/eval/Places.h"
#include "frontend/sema/eval/Unknown.h"
#include "frontend/sema/eval/Views.h"
#include "frontend/sema/values/Convert.h"
#include "frontend/sema/values/Operators.h"
#include "frontend/spelling/Texts.h"

namespace sextant::sema {

/// A cast, or the making of a struct.
static Value callType(Context &cx, const TypeValue &type, const ast::Call &node, SourceRange at) {
  if (type.kind == TypeValue::Struct)
    return makeStruct(cx, type.structure, node, at);
  if (type.kind != TypeValue::Element)
    return error(cx, at, Problem::TypeNotCallable, "the type " + spell(type) + " cannot be called");
  if (!node.keywords.empty())
    return error(cx, at, Problem::CastWithKeywords, "a cast takes no keyword arguments");
  bool bad = false;
  std::vector<Value> args = evalItems(cx, node.args, bad);
  if (bad)
    return Value();
  if (!type.element.matrix) {
    if (args.size() != 1)
      return error(cx, at, Problem::CastArgumentCount,
                   "a cast to " + spell(type) + " takes one value");
    return castItems(cx, args[0], type.element.type, at);
  }
  // vec3(1, 2, 3), vec3(0), vec3(v)
  std::vector<Value> flat;
  for (Value &arg : args) {
    if (arg.kind == Value::Tuple)
      arg = toMatrix(cx, arg, at);
    if (arg.kind == Value::Matrix)
      flat.insert(flat.end(), arg.items.begin(), arg.items.end());
    else
      flat.push_back(arg);
  }
  if (flat.size() == 1 && type.element.count() > 1)
    return castTo(cx, flat[0], type.element, at);
  if (flat.size() != type.element.count())
    return error(cx, at, Problem::ComponentCountWrong,
                 spell(type) + " has " + std::to_string(type.element.count()) +
                     " components, but is given " + std::to_string(flat.size()));
  return castTo(
      cx, Value::matrix(type.element.rows, type.element.cols, type.element.vector, std::move(flat)),
      type.element, at);
}

//===--- Builtins ----------------------------------------------------------===//

static std::string callName(std::string_view name) {
  const bool isGraph = name.substr(0, 6) == "graph.";
  return (isGraph ? "qd." : "") + std::string(name.substr(0, 3) == "py." ? name.substr(3) : name);
}

std::string callName(const CallSite &site) { return callName(site.name); }

/// The call as the user wrote it: of the library where one is being inlined.
std::string userCall(Context &cx, const CallSite &site) {
  std::string name = callName(site);
  for (size_t i = cx.frames.size(); i-- > 1 && !cx.frames[i]->module->library.empty();)
    if (cx.frames[i]->callAt.file)
      name = cx.frames[i]->module->library + "." + std::string(cx.frames[i]->function->name);
  return "`" + name + "`";
}

bool inKernel(Context &cx, CallSite &site) {
  if (!cx.isHost()) {
    block(cx, site.at);
    return true;
  }
  return error(cx, site.at, Problem::DeviceFunctionOnHost,
               "`" + callName(site) + "` runs on the device only");
}

/// Finds the place that a parameter takes. Returns false after an error.
static bool bindPlace(Context &cx, CallSite &site, const ast::Expr &expr, bool forWrite) {
  if (cx.isHost())
    return error(cx, site.at, Problem::NotComputedOnHost,
                 "`" + callName(site) + "` cannot be computed when kernels are built");
  std::optional<Place> place = evalPlace(cx, expr, forWrite);
  if (place)
    site.place = std::make_shared<Place>(std::move(*place));
  return place.has_value();
}

/// Gives a parameter its argument. Returns false after an error.
static bool bindArgument(Context &cx, CallSite &site, size_t k, const ast::Expr *expr,
                         const Value *value) {
  site.nodes[k] = expr;
  site.given[k] = true;
  if (site.builtin->isLazy())
    return true;
  const std::string_view takes = site.parameters[k].takes;
  if (takes == "place" || takes == "memory")
    return bindPlace(cx, site, *expr, takes == "place");
  site.args[k] = value ? *value : eval(cx, *expr);
  return !site.args[k].isPoison();
}

/// Gives an argument to a function that takes any number of them. Returns false after an error.
static bool addArgument(Context &cx, CallSite &site, const ast::Expr *expr, const Value *value) {
  const bool isLazy = site.builtin->isLazy();
  site.nodes.push_back(expr);
  site.given.push_back(true);
  site.args.push_back(value ? *value : isLazy ? Value() : eval(cx, *expr));
  return isLazy || !site.args.back().isPoison();
}

/// Binds what is written in order. Returns false after an error.
static bool bindPositional(Context &cx, CallSite &site, bool isVariadic, const Value *self) {
  const size_t count = site.parameters.size();
  size_t next = 0;
  bool bad = false;
  auto put = [&](const ast::Expr *expr, const Value *value) {
    if (isVariadic) {
      bad |= !addArgument(cx, site, expr, value);
    } else if (next < count) {
      bad |= !bindArgument(cx, site, next++, expr, value);
    } else if (next++ == count) {
      const size_t own = count - (self ? 1 : 0);
      error(cx, expr->at, Problem::ArgumentCountWrong,
            "`" + callName(site) + "` takes " + countText(own, "argument"));
      bad = true;
    }
  };
  if (self)
    put(nullptr, self);
  for (auto &arg : site.node->args) {
    auto *starred = std::get_if<ast::Starred>(&arg->node);
    if (!starred) {
      put(arg.get(), nullptr);
      continue;
    }
    const std::optional<std::vector<Value>> items = unpacked(cx, *starred, arg->at);
    bad |= !items;
    for (const Value &item : items.value_or(std::vector<Value>()))
      put(arg.get(), &item);
  }
  return !bad;
}

/// Returns false after an error.
static bool bindKeyword(Context &cx, CallSite &site, const ast::Keyword &keyword) {
  const std::vector<Parameter> &params = site.parameters;
  const std::string what = "`" + callName(site) + "`";
  size_t k = 0;
  while (k < params.size() && params[k].name != keyword.name)
    ++k;
  if (k == params.size()) {
    unknownName(cx, keyword.at, Problem::ParameterUnknown, what + " has no parameter", keyword.name,
                namesOf(params));
    return false;
  }
  if (site.given[k])
    return error(cx, keyword.at, Problem::ArgumentTwice,
                 what + " is given `" + std::string(keyword.name) + "` twice");
  return bindArgument(cx, site, k, keyword.value.get(), nullptr);
}

/// Sorts arguments by parameter. \param self what a method is called on; null for other calls
static bool bindBuiltin(Context &cx, CallSite &site, const Value *self) {
  const bool isVariadic = site.builtin->parameters == std::string_view("*");
  if (!isVariadic)
    site.parameters = parametersOf(*site.builtin);
  site.args.resize(site.parameters.size());
  site.given.resize(site.parameters.size());
  site.nodes.resize(site.parameters.size());
  bool bad = !bindPositional(cx, site, isVariadic, self);
  if (isVariadic && site.builtin->isLazy())
    return !bad; // the handler reads the keywords
  for (auto &keyword : site.node->keywords)
    bad |= !bindKeyword(cx, site, keyword);
  for (size_t k = 0; k < site.parameters.size(); ++k)
    if (!site.given[k] && !site.parameters[k].isOptional) {
      error(cx, site.at, Problem::ArgumentMissing,
            "`" + callName(site) + "` needs `" + std::string(site.parameters[k].name) + "`");
      bad = true;
    }
  return !bad;
}

/// Writes the current name in place of an old one, if both are in one namespace.
static std::vector<Edit> renamed(const Builtin &old, SourceRange at) {
  const std::string_view from = old.name, to = old.current;
  const size_t dot = from.rfind('.') + 1;
  if (to.rfind('.') + 1 != dot || to.substr(0, dot) != from.substr(0, dot))
    return {};
  return didYouMean(at, from.substr(dot), std::string(to.substr(dot))).edits;
}

static Value callBuiltin(Context &cx, const Builtin &named, const ast::Call &node, SourceRange at,
                         const Value *self = nullptr) {
  const Builtin &builtin = named.current ? *cx.program.builtins.find(named.current) : named;
  CallSite site;
  site.node = &node;
  site.at = at;
  site.builtin = &builtin;
  site.name = named.isMethod ? methodName(named) : named.name;
  if (!bindBuiltin(cx, site, self) || (builtin.isOnDevice && !inKernel(cx, site)))
    return Value();
  if (named.current)
    warnDeprecated(cx, named.name, at, userCall(cx, site) + " is deprecated",
                   Fix("use `" + callName(named.current) + "`", renamed(named, node.callee->at)));
  if (builtin.check && !builtin.check(cx, site))
    return Value();
  if (builtin.isMethod)
    for (Value &arg : site.args)
      arg = stable(cx, std::move(arg), at);
  return builtin.handler(cx, site);
}

/// `x.parent()`, the node that a field is placed in; `view.subview(offset, size)`.
static Value arrayMethod(Context &cx, const Value &method, const ast::Call &node,
                         std::vector<Value> args, SourceRange at) {
  const Value &array = method.items[0];
  if (method.text == "parent") {
    if (args.size() > 1 || !node.keywords.empty())
      return error(cx, at, Problem::ArgumentCountWrong, "`parent` takes how many levels to go up");
    return parentOf(cx, array, args.empty() ? Value::exactInt(1) : args[0], at);
  }
  std::vector<Value> given(2);
  for (size_t k = 0; k < args.size() && k < 2; ++k)
    given[k] = std::move(args[k]);
  for (const ast::Keyword &keyword : node.keywords)
    if (keyword.name == "offset" || keyword.name == "size")
      given[keyword.name == "size"] = eval(cx, *keyword.value);
    else
      return unknownName(cx, keyword.at, Problem::ParameterUnknown, "`subview` has no parameter",
                         keyword.name, {"offset", "size"});
  if (args.size() + node.keywords.size() != 2 || given[0].isPoison() || given[1].isPoison())
    return error(cx, at, Problem::ArgumentCountWrong, "`subview` takes an offset and a size");
  return viewOf(cx, array.array, given[0], given[1], at);
}

/// Python's methods of dictionaries that change nothing.
static Value dictMethod(Context &cx, const std::string &name, const Value &dict,
                        const std::vector<Value> &args, SourceRange nameAt, SourceRange at) {
  const bool isGet = name == "get";
  if (name != "keys" && name != "values" && name != "items" && !isGet)
    return unknownName(cx, nameAt, Problem::MemberUnknown, "a dictionary has no", name,
                       {"keys", "values", "items", "get"}, "it has keys, values, items and get");
  if (isGet ? args.empty() || args.size() > 2 : !args.empty())
    return error(cx, at, Problem::ArgumentCountWrong,
                 "`" + name + "` takes " + (isGet ? "a key and a default" : "no arguments"));
  if (isGet) {
    const Value *found = findInDict(dict, args[0]);
    return found ? *found : args.size() == 2 ? args[1] : Value::none();
  }
  std::vector<Value> items;
  for (size_t k = 0; k + 1 < dict.items.size(); k += 2)
    items.push_back(name == "keys"     ? dict.items[k]
                    : name == "values" ? dict.items[k + 1]
                                       : Value::tuple({dict.items[k], dict.items[k + 1]}));
  return Value::tuple(std::move(items));
}

static Value callMethod(Context &cx, const Value &method, const ast::Call &node, SourceRange at) {
  if (method.function) { // a method of a struct that a call returned
    auto self = std::make_shared<Variable>();
    self->name = "self";
    self->at = at;
    self->alias = true;
    self->value = stable(cx, method.items[0], at);
    return callFunction(cx, Value::ofFunction(method.function, method.module), node, at, self);
  }
  if (method.items[0].kind == Value::Node)
    return nodeMethod(cx, method, node, at);
  if (method.items[0].kind == Value::Type) { // qd.types.vector(3, f32).field(...)
    const TypeValue &type = method.items[0].type;
    if (method.text == "field" && (type.element.matrix || isRecord(type))) {
      FieldCall field;
      bool isKnown = false;
      if (!node.args.empty())
        field.shape = eval(cx, *node.args[0]);
      for (auto &keyword : node.keywords)
        if (keyword.name == "shape")
          field.shape = eval(cx, *keyword.value);
        else if (keyword.name == "needs_grad")
          field.needsGradient = isTruthy(cx, eval(cx, *keyword.value), isKnown, at);
        else if (keyword.name == "needs_dual")
          field.needsTangent = isTruthy(cx, eval(cx, *keyword.value), isKnown, at);
        else if (keyword.name == "layout")
          field.layout = eval(cx, *keyword.value);
        else if (keyword.name == "offset")
          field.offset = eval(cx, *keyword.value);
        else
          return unknownName(cx, keyword.at, Problem::ParameterUnknown, "`field` has no parameter",
                             keyword.name,
                             {"shape", "needs_grad", "needs_dual", "layout", "offset"});
      if (field.shape.isPoison() || field.offset.isPoison())
        return Value();
      return makeField(cx, type, field, at);
    }
    return error(cx, at, Problem::MethodOfTypeNotSupported,
                 "`" + method.text + "` is not supported on types here");
  }
  if (const Builtin *known = method.items[0].isNumber() || method.items[0].isCompound()
                                 ? cx.program.builtins.method(method.text)
                                 : nullptr)
    return callBuiltin(cx, *known, node, at, &method.items[0]);
  bool bad = false;
  std::vector<Value> args = evalItems(cx, node.args, bad);
  if (bad)
    return Value();
  if (method.items[0].kind == Value::Array)
    return arrayMethod(cx, method, node, std::move(args), at);
  if (!node.keywords.empty())
    return error(cx, at, Problem::MethodWithKeywords,
                 "`" + method.text + "` takes no keyword arguments");
  return dictMethod(cx, method.text, method.items[0], args, node.callee->at, at);
}

/// False after an error: a keyword argument of the method has another name.
static bool onlyKeyword(Context &cx, const std::string &method, const ast::Call &node,
                        std::string_view parameter) {
  for (const ast::Keyword &keyword : node.keywords)
    if (keyword.name != parameter) {
      unknownName(cx, keyword.at, Problem::ParameterUnknown, "`" + method + "` has no parameter",
                  keyword.name, {parameter});
      return false;
    }
  return true;
}

/// x.fill(v): all components of a vector or matrix, all elements of a field or an array.
static Value evalFill(Context &cx, const ast::Expr &target, const ast::Call &node, SourceRange at) {
  auto place = evalPlace(cx, target, true);
  if (!place)
    return Value();
  if (!onlyKeyword(cx, "fill", node, "val"))
    return Value();
  if (node.args.size() + node.keywords.size() != 1)
    return error(cx, at, Problem::FillArgumentCount, "`fill` takes one value");
  Value value = eval(cx, node.args.empty() ? *node.keywords[0].value : *node.args[0]);
  if (value.isPoison())
    return value;
  if (place->kind == Place::Whole) {
    if (place->array->space == ArrayRef::Shared)
      return error(cx, at, Problem::FillOfSharedArray,
                   "a SharedArray has no `fill`: its threads share the work",
                   "let each thread store to its own elements, then call `block.sync()`");
    return callLibrary(cx, "arrays", "fill", {Value::ofArray(place->array), std::move(value)}, at);
  }
  if (!place->element.matrix)
    return error(cx, at, Problem::FillOfScalar,
                 "`fill` is a method of vectors, matrices, fields and arrays");
  if (!value.isNumber())
    return error(cx, at, Problem::FillValueNotNumber,
                 "`fill` needs a number here, not " + describe(value));
  writePlace(cx, *place, value, at);
  return Value::none();
}

/// x.copy_from(y): each element of a field or an array, from the same place of another one.
static Value evalCopy(Context &cx, Value array, const ast::Call &node, SourceRange at) {
  if (array.isPoison())
    return array;
  if (!onlyKeyword(cx, "copy_from", node, "other"))
    return Value();
  if (node.args.size() + node.keywords.size() != 1)
    return error(cx, at, Problem::ArgumentCountWrong, "`copy_from` takes one array");
  Value other = eval(cx, node.args.empty() ? *node.keywords[0].value : *node.args[0]);
  if (other.isPoison())
    return other;
  if (other.kind != Value::Array)
    return error(cx, at, Problem::ArgumentNotNdarray,
                 "`copy_from` needs an array or a field, not " + describe(other));
  const std::vector<Value> &to = array.array->shape, &from = other.array->shape;
  bool fits = to.size() == from.size();
  // Extents that launches pass are the caller's promise.
  for (size_t k = 0; fits && k < to.size(); ++k)
    fits =
        to[k].kind != Value::Int || from[k].kind != Value::Int || to[k].integer == from[k].integer;
  if (!fits)
    return error(cx, at, Problem::ArgumentDimensionsDiffer,
                 describe(array) + " and " + describe(other) + " have not the same extents");
  if (array.array->space == ArrayRef::Shared)
    return error(cx, at, Problem::FillOfSharedArray,
                 "a SharedArray has no `copy_from`: its threads share the work",
                 "let each thread store to its own elements, then call `block.sync()`");
  for (Value *one : {&array, &other}) // elements of one place, whatever their indices are
    one->array = countedFrom0(one->array);
  return callLibrary(cx, "arrays", "copy_from", {std::move(array), std::move(other)}, at);
}

//===--- All calls ---------------------------------------------------------===//

Value evalCall(Context &cx, const ast::Expr &expr, const ast::Call &node) {
  if (!stackLeft(cx, expr.at))
    return Value();
  for (const ast::Keyword &keyword : node.keywords)
    if (keyword.name.empty())
      return error(cx, keyword.at, Problem::DictionaryUnpackedInCall,
                   "`**` cannot be used in a call in kernels",
                   "write out the arguments, as in `f(a=d[\"a\"])`");
  // Methods that change their object need its place, not its value.
  if (auto *method = std::get_if<ast::Attribute>(&node.callee->node);
      method && method->name == "fill") {
    const ast::Expr &object = *method->value;
    bool isPlace = std::holds_alternative<ast::Subscript>(object.node);
    if (auto *name = std::get_if<ast::Name>(&object.node))
      isPlace = findVariable(cx, name->id) != nullptr;
    if (auto *member = std::get_if<ast::Attribute>(&object.node))
      isPlace = structAt(cx, *member->value) != nullptr;
    if (!isPlace) {
      Value value = eval(cx, object);
      if (value.isPoison())
        return value;
      isPlace = value.kind == Value::Array;
    }
    if (isPlace)
      return evalFill(cx, object, node, expr.at);
  }
  if (auto *method = std::get_if<ast::Attribute>(&node.callee->node);
      method && method->name == "copy_from") {
    Value array = eval(cx, *method->value);
    if (array.isPoison() || array.kind == Value::Array)
      return evalCopy(cx, std::move(array), node, expr.at);
  }
  if (auto *method = std::get_if<ast::Attribute>(&node.callee->node);
      method && isSuper(cx, *method->value))
    return callSuper(cx, *method, node, expr.at);
  if (auto *method = std::get_if<ast::Attribute>(&node.callee->node))
    if (auto type = structAt(cx, *method->value)) {
      const std::optional<Value> function = type->find(method->name)
                                                ? std::optional(eval(cx, *node.callee))
                                                : findMethod(*type, method->name);
      if (function && isMethodOf(*type, *function)) {
        if (const VariablePtr object = objectInMaking(cx, *method->value))
          return callFunction(cx, *function, node, expr.at, object);
        auto place = evalPlace(cx, *method->value, true);
        return place ? callFunction(cx, *function, node, expr.at, selfAt(std::move(*place)))
                     : Value();
      }
    }
  Value callee = eval(cx, *node.callee);
  switch (callee.kind) {
  case Value::Poison:
    return callee;
  case Value::Builtin: {
    const bool isStatic = callee.builtin->name == std::string_view("qd.static");
    cx.staticDepth += isStatic;
    Value value = callBuiltin(cx, *callee.builtin, node, expr.at);
    cx.staticDepth -= isStatic;
    return value;
  }
  case Value::Function:
    return callFunction(cx, callee, node, expr.at);
  case Value::Type:
    return callType(cx, callee.type, node, expr.at);
  case Value::Method:
    return callMethod(cx, callee, node, expr.at);
  default:
    return error(cx, expr.at, Problem::NotCallable, describe(callee) + " cannot be called");
  }
}

} // namespace sextant::sema
