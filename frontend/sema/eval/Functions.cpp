// Calls of the language's functions: which may be called, and their arguments by parameter.
#include "frontend/sema/eval/Functions.h"
#include "frontend/sema/Decorators.h"
#include "frontend/sema/Struct.h"
#include "frontend/sema/eval/Annotations.h"
#include "frontend/sema/eval/Classes.h"
#include "frontend/sema/eval/Derivatives.h"
#include "frontend/sema/eval/Expressions.h"
#include "frontend/sema/eval/Host.h"
#include "frontend/sema/eval/MarkOptions.h"
#include "frontend/sema/eval/Names.h"
#include "frontend/sema/eval/Places.h"
#include "frontend/sema/eval/References.h"
#include "frontend/sema/eval/Unknown.h"
#include "frontend/sema/values/Operators.h"
#include "frontend/spelling/Texts.h"

#include <algorithm>

namespace sextant::sema {

Value callLibrary(Context &cx, std::string_view module, std::string_view name,
                  std::vector<Value> args, SourceRange at) {
  const ast::Module *library = cx.options.library ? cx.options.library(module) : nullptr;
  if (!library)
    return error(cx, at, Problem::InternalLibraryModule,
                 "the compiler's library has no module `" + std::string(module) + "`");
  auto function = moduleName(cx, cx.program.scopeOf(*library, std::string(module)), name, at);
  if (!function || function->kind != Value::Function)
    return error(cx, at, Problem::InternalLibraryFunction,
                 "the compiler's library has no `" + std::string(name) + "`");
  std::vector<BoundArgument> bound;
  for (size_t i = 0; i < args.size(); ++i)
    bound.push_back({&function->function->parameters[i], std::move(args[i]), nullptr, at});
  return inlineCall(cx, *function, bound, at);
}

/// The `self` of a method that is called on a place.
VariablePtr selfAt(Place place) { return variableAt(std::move(place), "self"); }

/// The value of an argument. Host code may pass what has none when kernels are built.
static Value evalArgument(Context &cx, const ast::Expr &expr, std::string_view name) {
  if (!cx.isHost())
    return eval(cx, expr);
  const Quietly quiet(cx);
  Value value = eval(cx, expr);
  return value.isPoison() ? unknownOnHost("`" + std::string(name) + "`") : value;
}

/// Adds an argument of `**named` to the dictionary. Returns false after an error.
static bool addNamed(Context &cx, Value &dict, const ast::Keyword &keyword,
                     const std::string &function) {
  Value key = Value::str(std::string(keyword.name));
  if (findInDict(dict, key))
    return error(cx, keyword.at, Problem::ArgumentTwice,
                 function + " is given `" + key.text + "` twice");
  dict.items.push_back(std::move(key));
  dict.items.push_back(evalArgument(cx, *keyword.value, keyword.name));
  return !dict.items.back().isPoison();
}

/// Adds the defaults of parameters that are not given. Returns the parameter that has none, or
/// null.
static const ast::Parameter *addDefaults(Context &cx, const Value &function,
                                         const std::vector<bool> &given,
                                         std::vector<BoundArgument> &args, bool &bad) {
  for (size_t k = 0; k < args.size(); ++k) {
    const ast::Parameter &parameter = *args[k].parameter;
    if (given[k])
      continue;
    if (!parameter.defaultValue)
      return &parameter;
    args[k].value = evalHost(cx, *parameter.defaultValue, *function.module);
    args[k].at = parameter.at;
    bad |= args[k].value.isPoison();
  }
  return nullptr;
}

/// Returns the items that a positional argument passes: those of `*items`, or itself, which is
/// evaluated later. Returns nullopt after an error.
static std::optional<std::vector<std::optional<Value>>> positionalOf(Context &cx,
                                                                     const ast::Expr &arg) {
  auto *starred = std::get_if<ast::Starred>(&arg.node);
  if (!starred)
    return std::vector<std::optional<Value>>(1);
  if (cx.isHost()) // some of them may be unknown
    if (const Value all = knownParts(cx, *starred->value); all.kind == Value::Tuple)
      return std::vector<std::optional<Value>>(all.items.begin(), all.items.end());
  const std::optional<std::vector<Value>> items = unpacked(cx, *starred, arg.at);
  if (!items)
    return std::nullopt;
  return std::vector<std::optional<Value>>(items->begin(), items->end());
}

namespace {
/// The arguments of a call, while they are sorted by parameter.
struct Sorting {
  Context &cx;
  const ast::FunctionDef &def;
  std::string name; ///< the function's, for messages
  SourceRange at;
  std::vector<BoundArgument> args = {};
  std::vector<bool> given = {};
  /// `*rest` gets the positional arguments that are left, as a tuple, and `**named` the others that
  /// have names, as a dictionary.
  std::optional<size_t> rest = {}, named = {};
  size_t next = 0; ///< the parameter of the next positional argument
  bool isBad = false;

  bool refuse(SourceRange where, Problem problem, std::string message, Fix fix = {}) {
    return error(cx, where, problem, std::move(message), std::move(fix));
  }
};
} // namespace

static void openParameters(Sorting &sorting) {
  const std::vector<ast::Parameter> &parameters = sorting.def.parameters;
  sorting.args.resize(parameters.size());
  sorting.given.resize(parameters.size());
  for (size_t i = 0; i < parameters.size(); ++i) {
    sorting.args[i].parameter = &parameters[i];
    if (parameters[i].kind == ast::Parameter::VarArgs)
      sorting.rest = i;
    if (parameters[i].kind == ast::Parameter::KwArgs)
      sorting.named = i;
  }
  for (std::optional<size_t> extra : {sorting.rest, sorting.named})
    if (extra) {
      const bool isRest = extra == sorting.rest;
      sorting.args[*extra].value = Value::of(isRest ? Value::Tuple : Value::Dict);
      sorting.args[*extra].at = sorting.at;
      sorting.given[*extra] = true;
    }
}

/// Gives a parameter its argument: an item of `*items`, or the expression itself.
static void put(Sorting &sorting, size_t k, const ast::Expr &expr, std::optional<Value> value) {
  Context &cx = sorting.cx;
  const ast::Parameter &parameter = sorting.def.parameters[k];
  BoundArgument &argument = sorting.args[k];
  sorting.given[k] = true;
  argument.at = expr.at;
  argument.written = value ? nullptr : &expr;
  if (value) {
    argument.value = *value;
    return;
  }
  if (isReferenceParameter(parameter)) {
    argument.reference = referenceTo(cx, expr, parameter);
    sorting.isBad |= !argument.reference;
    return;
  }
  if ((argument.reference = objectInMaking(cx, expr)))
    return;
  if (auto *local = std::get_if<ast::Name>(&expr.node); local && isTemplateParameter(parameter))
    argument.reference = findVariable(cx, local->id);
  else if (isTemplateParameter(parameter))
    argument.reference = elementShared(cx, expr, parameter.name);
  // A reference is not read where it is passed.
  argument.value =
      argument.reference ? argument.reference->value : evalArgument(cx, expr, parameter.name);
  sorting.isBad |= argument.value.isPoison() && !(argument.reference && argument.reference->place);
}

/// Returns false after an error.
static bool putSelf(Sorting &sorting, const VariablePtr &self) {
  const ast::FunctionDef &def = sorting.def;
  if (sorting.args.empty()) {
    const uint32_t bracket = uint32_t(def.nameAt.file->text().find('(', def.nameAt.end)) + 1;
    return sorting.refuse(
        def.nameAt, Problem::MethodWithoutSelf, sorting.name + " is a method, but has no `self`",
        Fix("make `self` its first parameter", {{{def.nameAt.file, bracket, bracket}, "self"}}));
  }
  sorting.args[0].reference = self;
  sorting.args[0].at = sorting.at;
  sorting.given[sorting.next++] = true;
  return true;
}

/// Returns false after an error.
static bool putPositional(Sorting &sorting, const ast::Expr &arg) {
  const auto values = positionalOf(sorting.cx, arg);
  sorting.isBad |= !values;
  const size_t count = sorting.args.size();
  const size_t positional = sorting.rest ? *sorting.rest : sorting.named ? *sorting.named : count;
  for (auto &value : values.value_or(std::vector<std::optional<Value>>())) {
    if (sorting.rest && sorting.next >= positional) {
      std::vector<Value> &rest = sorting.args[*sorting.rest].value.items;
      const std::string_view name = sorting.def.parameters[*sorting.rest].name;
      rest.push_back(value ? *value : evalArgument(sorting.cx, arg, name));
      sorting.isBad |= rest.back().isPoison();
      continue;
    }
    if (sorting.next >= positional ||
        sorting.def.parameters[sorting.next].kind == ast::Parameter::KeywordOnly)
      return sorting.refuse(arg.at, Problem::ArgumentCountWrong,
                            sorting.name + " takes " + countText(count, "argument"));
    put(sorting, sorting.next++, arg, value);
  }
  return true;
}

/// Returns false after an error.
static bool putNamed(Sorting &sorting, const ast::Keyword &keyword) {
  const auto takes = [&](size_t k) {
    return sorting.def.parameters[k].name == keyword.name && k != sorting.rest &&
           k != sorting.named &&
           !(sorting.named && sorting.def.parameters[k].kind == ast::Parameter::PositionalOnly);
  };
  size_t k = 0;
  while (k < sorting.args.size() && !takes(k))
    ++k;
  if (k == sorting.args.size() && sorting.named) {
    sorting.isBad |=
        !addNamed(sorting.cx, sorting.args[*sorting.named].value, keyword, sorting.name);
    return true;
  }
  if (k == sorting.args.size()) {
    unknownName(sorting.cx, keyword.at, Problem::ParameterUnknown,
                sorting.name + " has no parameter", keyword.name, namesOf(sorting.def));
    return false;
  }
  if (sorting.def.parameters[k].kind == ast::Parameter::PositionalOnly)
    return sorting.refuse(keyword.at, Problem::ParameterUnknown,
                          "`" + std::string(keyword.name) + "` stands before the `/` of " +
                              sorting.name + ", and takes no name",
                          "write the value without it");
  if (sorting.given[k])
    return sorting.refuse(keyword.at, Problem::ArgumentTwice,
                          sorting.name + " is given `" + std::string(keyword.name) + "` twice");
  put(sorting, k, *keyword.value, std::nullopt);
  return true;
}

/// Sorts a call's arguments by parameter. Returns nullopt after an error.
static std::optional<std::vector<BoundArgument>> argumentsOf(Context &cx, const Value &function,
                                                             const ast::Call &node, SourceRange at,
                                                             const VariablePtr &self) {
  const ast::FunctionDef &def = *function.function;
  Sorting sorting{cx, def, "`" + std::string(def.name) + "`", at};
  openParameters(sorting);
  if (self && !putSelf(sorting, self))
    return std::nullopt;
  for (auto &arg : node.args)
    if (!putPositional(sorting, *arg))
      return std::nullopt;
  for (auto &keyword : node.keywords)
    if (!putNamed(sorting, keyword))
      return std::nullopt;
  if (const ast::Parameter *missing =
          addDefaults(cx, function, sorting.given, sorting.args, sorting.isBad)) {
    const std::string parameter = "`" + std::string(missing->name) + "`";
    return error(cx, at, Problem::ArgumentMissing, sorting.name + " needs " + parameter, {},
                 {{missing->at, parameter + " is declared here"}});
  }
  if (sorting.isBad)
    return std::nullopt;
  return std::move(sorting.args);
}

/// Runs an `__init__` for an object that host code makes.
static Value initialiseOnHost(Context &cx, const Value &init,
                              const std::vector<BoundArgument> &args) {
  auto frame = std::make_unique<Frame>();
  frame->module = init.module;
  frame->function = init.function;
  frame->isHost = true;
  frame->scopes.emplace_back();
  cx.frames.push_back(std::move(frame));
  for (const BoundArgument &argument : args) {
    if (argument.reference) {
      cx.frame().scopes.back()[argument.parameter->name] = argument.reference;
      continue;
    }
    const VariablePtr variable = declare(cx, argument.parameter->name, argument.at);
    variable->alias = true;
    variable->value = argument.value;
  }
  runOnHost(cx, init.function->body);
  cx.frames.pop_back();
  return Value::none();
}

/// Reports a real function whose parameters say no type, or that calls itself. Returns false then.
static bool checkRealFunction(Context &cx, const ast::FunctionDef &function, SourceRange at,
                              bool isMethod) {
  const std::string name = "`" + std::string(function.name) + "`";
  for (size_t k = isMethod; k < function.parameters.size(); ++k)
    if (const ast::Parameter &parameter = function.parameters[k]; !parameter.annotation) {
      const std::string text(parameter.name);
      return error(cx, parameter.at, Problem::RealFuncUntyped,
                   "`" + text + "` has no type, and " + name + " is a `@qd.real_func`",
                   "write one, as in `" + text + ": qd.f32`");
    }
  if (std::ranges::none_of(cx.frames, [&](auto &frame) { return frame->function == &function; }))
    return true;
  return error(
      cx, at, Problem::RealFuncRecursive,
      name + " calls itself: functions are inlined, and this would have no end",
      "write a loop; or mark it `@qd.func`, if a condition that is known when kernels are built "
      "ends it");
}

Value callFunction(Context &cx, const Value &function, const ast::Call &node, SourceRange at,
                   const VariablePtr &self) {
  const ast::FunctionDef &def = *function.function;
  std::string name = "`" + std::string(def.name) + "`";
  if (cx.isHost() && !isInit(def))
    return error(cx, at, Problem::FunctionOnHost,
                 name + " cannot be called when kernels are built");
  if (isDecorated(def, *function.module, "kernel"))
    return error(cx, at, Problem::KernelCallsKernel,
                 name + " is a kernel; kernels cannot be called from kernels",
                 "make it a `@qd.func`");
  const bool isReal = isRealFunction(cx, def, *function.module);
  if (!isReal && !isInit(def) && !isDecorated(def, *function.module, "func") &&
      !isDecorated(def, *function.module, "pyfunc"))
    return error(cx, at, Problem::HostFunctionCalled, name + " is a host function",
                 "decorate it with `@qd.func`");
  if (isInit(def) && def.bodyIsOpaque)
    return error(
        cx, at, Problem::ContainerMadeInKernel,
        "this object cannot be made in kernels, because its `__init__` is code of the host",
        "pass the object to the kernel, or pass its members one by one",
        {{def.nameAt, "this is not in the language of kernels"}});
  if (isReal && !checkRealFunction(cx, def, at, self != nullptr))
    return Value();
  if (hasOption(cx, def, *function.module, "func", "requires_top_level") &&
      (!cx.topLevel || cx.program.factsOf(def).conditionalReturn))
    return error(cx, at, Problem::FunctionNotAtTop,
                 name + " requires the top level: its loops are tasks of the kernel",
                 cx.topLevel ? "let it return only at its end"
                             : "call it at the top of a kernel, or of a function called there");
  const auto args = argumentsOf(cx, function, node, at, self);
  if (args && cx.isHost())
    return initialiseOnHost(cx, function, *args);
  if (args && function.module->library == "algorithms" && cx.frame().module->library.empty())
    for (const BoundArgument &argument : *args)
      if (beginsElsewhere(argument.value))
        return error(cx, argument.at, Problem::FieldOffsetWrong,
                     "`qd.algorithms` counts elements from 0, but `" + argument.value.array->name +
                         "` begins at " + spell(argument.value.array->first[0]),
                     "declare it without `offset`");
  return args ? inlineCall(cx, function, *args, at) : Value();
}

Value readProperty(Context &cx, const Value &getter, Value object, SourceRange at) {
  const ast::FunctionDef &def = *getter.function;
  if (def.parameters.size() != 1)
    return error(cx, at, Problem::ArgumentCountWrong,
                 "the property `" + std::string(def.name) + "` takes more than `self`");
  object.isStatic = true; // its members are what the caller's are
  ++cx.staticDepth;       // and what it computes of constants is constant
  Value value = inlineBody(cx, getter, {{&def.parameters[0], std::move(object), nullptr, at}}, at);
  --cx.staticDepth;
  return value;
}

} // namespace sextant::sema
