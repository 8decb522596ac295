// Functions of the language, which are inlined.
#include "frontend/sema/eval/Functions.h"
#include "frontend/sema/Casts.h"
#include "frontend/sema/Decorators.h"
#include "frontend/sema/Struct.h"
#include "frontend/sema/eval/Annotations.h"
#include "frontend/sema/eval/Calls.h"
#include "frontend/sema/eval/Classes.h"
#include "frontend/sema/eval/Expressions.h"
#include "frontend/sema/eval/Host.h"
#include "frontend/sema/eval/Names.h"
#include "frontend/sema/eval/Places.h"
#include "frontend/sema/eval/References.h"
#include "frontend/sema/eval/Returns.h"
#include "frontend/sema/eval/Statements.h"
#include "frontend/sema/eval/Unknown.h"
#include "frontend/sema/eval/Variables.h"
#include "frontend/sema/tasks/Launch.h"
#include "frontend/sema/values/Convert.h"
#include "frontend/sema/values/Operators.h"

#include <algorithm>

namespace sextant::sema {

struct BoundArgument {
  const ast::Parameter *parameter = nullptr;
  Value value;
  VariablePtr reference; ///< template parameters, references and `self` share the caller's variable
  SourceRange at;
  const ast::Expr *written = nullptr; ///< the argument's text, if the call gives it alone
};

static Value inlineBody(Context &cx, const Value &function, const std::vector<BoundArgument> &args,
                        SourceRange at);
static bool bindParameter(Context &cx, const BoundArgument &argument, const FunctionFacts &facts,
                          bool changesCaller);
static bool checkRealFunction(Context &cx, const ast::FunctionDef &function, SourceRange at,
                              bool isMethod);

/// Returns the items of `*argument`, or nothing after an error.
std::optional<std::vector<Value>> unpacked(Context &cx, const ast::Starred &argument,
                                           SourceRange at) {
  const Value inner = eval(cx, *argument.value);
  if (inner.kind == Value::Tuple || inner.kind == Value::Matrix)
    return elementsOf(cx, inner, at);
  if (!inner.isPoison())
    error(cx, at, Problem::StarOfNoTuple, "`*` needs a tuple, not " + describe(inner));
  return std::nullopt;
}

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
  return inlineBody(cx, *function, bound, at);
}

std::optional<bool> optionOf(Context &cx, const ast::FunctionDef &function, ModuleScope &module,
                             std::string_view mark, std::string_view option) {
  if (!isDecorated(function, module, mark))
    return std::nullopt;
  for (auto &decorator : function.decorators)
    if (auto *call = std::get_if<ast::Call>(&decorator->node))
      for (auto &keyword : call->keywords)
        if (keyword.name == option) {
          bool known = false;
          const Value value = evalHost(cx, *keyword.value, module);
          return !value.isPoison() && isTruthy(cx, value, known, keyword.at);
        }
  return std::nullopt;
}

bool hasOption(Context &cx, const ast::FunctionDef &function, ModuleScope &module,
               std::string_view mark, std::string_view option) {
  return optionOf(cx, function, module, mark, option).value_or(false);
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
  if (findInDict(dict, key)) {
    error(cx, keyword.at, Problem::ArgumentTwice, function + " is given `" + key.text + "` twice");
    return false;
  }
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

/// What a positional argument passes: the items of `*items`, or itself, which is evaluated later.
/// Returns nullopt after an error.
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

/// Sorts a call's arguments by parameter. Returns nullopt after an error.
static std::optional<std::vector<BoundArgument>> argumentsOf(Context &cx, const Value &function,
                                                             const ast::Call &node, SourceRange at,
                                                             const VariablePtr &self) {
  const ast::FunctionDef &def = *function.function;
  const std::string name = "`" + std::string(def.name) + "`";
  auto refuse = [&](SourceRange where, Problem problem, std::string message, Fix fix = {}) {
    error(cx, where, problem, std::move(message), std::move(fix));
    return std::nullopt;
  };
  std::vector<BoundArgument> args(def.parameters.size());
  // `*rest` gets the positional arguments that are left, as a tuple, and `**named` the others that
  // have names, as a dictionary.
  std::optional<size_t> rest, named;
  for (size_t i = 0; i < args.size(); ++i) {
    args[i].parameter = &def.parameters[i];
    if (def.parameters[i].kind == ast::Parameter::VarArgs)
      rest = i;
    if (def.parameters[i].kind == ast::Parameter::KwArgs)
      named = i;
  }
  const size_t positional = rest ? *rest : named ? *named : args.size();
  bool bad = false;
  std::vector<bool> given(args.size());
  for (std::optional<size_t> extra : {rest, named})
    if (extra) {
      args[*extra].value = Value::of(extra == rest ? Value::Tuple : Value::Dict);
      args[*extra].at = at;
      given[*extra] = true;
    }
  auto put = [&](size_t k, const ast::Expr &expr, std::optional<Value> value) {
    given[k] = true;
    args[k].at = expr.at;
    args[k].written = value ? nullptr : &expr;
    if (value) {
      args[k].value = *value;
      return;
    }
    if (isReferenceParameter(def.parameters[k])) {
      args[k].reference = referenceTo(cx, expr, def.parameters[k]);
      bad |= !args[k].reference;
      return;
    }
    if ((args[k].reference = objectInMaking(cx, expr)))
      return;
    bool byReference = isTemplateParameter(def.parameters[k]);
    if (auto *local = std::get_if<ast::Name>(&expr.node); local && byReference)
      args[k].reference = findVariable(cx, local->id);
    // A reference is not read where it is passed.
    args[k].value = args[k].reference ? args[k].reference->value
                                      : evalArgument(cx, expr, def.parameters[k].name);
    bad |= args[k].value.isPoison();
  };
  size_t next = 0;
  if (self) {
    if (args.empty()) {
      const uint32_t bracket = uint32_t(def.nameAt.file->text().find('(', def.nameAt.end)) + 1;
      return refuse(
          def.nameAt, Problem::MethodWithoutSelf, name + " is a method, but has no `self`",
          Fix("make `self` its first parameter", {{{def.nameAt.file, bracket, bracket}, "self"}}));
    }
    args[0].reference = self;
    args[0].at = at;
    given[next++] = true;
  }
  for (auto &arg : node.args) {
    const auto values = positionalOf(cx, *arg);
    bad |= !values;
    for (auto &value : values.value_or(std::vector<std::optional<Value>>())) {
      if (rest && next >= positional) {
        args[*rest].value.items.push_back(
            value ? *value : evalArgument(cx, *arg, def.parameters[*rest].name));
        bad |= args[*rest].value.items.back().isPoison();
        continue;
      }
      if (next >= positional || def.parameters[next].kind == ast::Parameter::KeywordOnly)
        return refuse(arg->at, Problem::ArgumentCountWrong,
                      name + " takes " + std::to_string(args.size()) + " argument" +
                          (args.size() == 1 ? "" : "s"));
      put(next++, *arg, value);
    }
  }
  for (auto &keyword : node.keywords) {
    size_t k = 0;
    while (k < args.size() && (def.parameters[k].name != keyword.name || k == rest || k == named))
      ++k;
    if (k == args.size() && named) {
      bad |= !addNamed(cx, args[*named].value, keyword, name);
      continue;
    }
    if (k == args.size()) {
      unknownName(cx, keyword.at, Problem::ParameterUnknown, name + " has no parameter",
                  keyword.name, namesOf(def));
      return std::nullopt;
    }
    if (given[k])
      return refuse(keyword.at, Problem::ArgumentTwice,
                    name + " is given `" + std::string(keyword.name) + "` twice");
    put(k, *keyword.value, std::nullopt);
  }
  if (const ast::Parameter *missing = addDefaults(cx, function, given, args, bad)) {
    error(cx, at, Problem::ArgumentMissing, name + " needs `" + std::string(missing->name) + "`",
          {}, {{missing->at, "`" + std::string(missing->name) + "` is declared here"}});
    return std::nullopt;
  }
  if (bad)
    return std::nullopt;
  return args;
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
                 cx.topLevel ? "let it return at its end alone"
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
  return args ? inlineBody(cx, function, *args, at) : Value();
}

bool isRealFunction(Context &cx, const ast::FunctionDef &function, ModuleScope &module) {
  return isDecorated(function, module, "real_func") ||
         hasOption(cx, function, module, "func", "is_real_function");
}

/// Reports a real function whose parameters say no type, or that calls itself. Returns false then.
static bool checkRealFunction(Context &cx, const ast::FunctionDef &function, SourceRange at,
                              bool isMethod) {
  const std::string name = "`" + std::string(function.name) + "`";
  for (size_t k = isMethod; k < function.parameters.size(); ++k)
    if (const ast::Parameter &parameter = function.parameters[k]; !parameter.annotation) {
      const std::string text(parameter.name);
      error(cx, parameter.at, Problem::RealFuncUntyped,
            "`" + text + "` has no type, and " + name + " is a `@qd.real_func`",
            "write one, as in `" + text + ": qd.f32`");
      return false;
    }
  if (std::ranges::none_of(cx.frames, [&](auto &frame) { return frame->function == &function; }))
    return true;
  error(cx, at, Problem::RealFuncRecursive,
        name + " calls itself: functions are inlined, and this would have no end",
        "write a loop; or mark it `@qd.func`, if a condition that is known when kernels are built "
        "ends it");
  return false;
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

/// Returns the shape of `qd.types.vector(3)` and `qd.types.matrix(2, 2)`, which leave the type of
/// the components to the call; nullopt for other annotations.
static std::optional<ElementType> shapeAlone(Context &cx, const ast::Expr &annotation) {
  auto *call = std::get_if<ast::Call>(&annotation.node);
  if (!call || !call->keywords.empty())
    return std::nullopt;
  const Quietly quiet(cx); // annotation() reports what means nothing
  const Value callee = eval(cx, *call->callee);
  const std::string_view name = callee.kind == Value::Builtin ? callee.builtin->name : "";
  const size_t extents = name == "types.vector" ? 1 : name == "types.matrix" ? 2 : 0;
  if (extents == 0 || call->args.size() != extents)
    return std::nullopt;
  ElementType shape;
  shape.matrix = true;
  shape.vector = extents == 1;
  for (size_t k = 0; k < extents; ++k) {
    const auto extent =
        exactInt(cx, eval(cx, *call->args[k]), call->args[k]->at, "the size of a vector or matrix");
    (k == 0 ? shape.rows : shape.cols) = extent ? unsigned(*extent) : 0;
  }
  return shape;
}

/// True if an annotation names more than one type: a shape without the components' type,
/// `qd.Vector`, or one of several types, `qd.Vector | float`.
static bool isOpenType(Context &cx, const ast::Expr &annotation) {
  const std::string path = importedAs(annotation, *cx.frame().module);
  if (path == "quadrants.Vector" || path == "quadrants.Matrix" || path == "quadrants.Struct" ||
      path == "typing.Any")
    return true;
  auto *either = std::get_if<ast::Binary>(&annotation.node);
  return (either && either->op == ast::BinaryOp::Or) || shapeAlone(cx, annotation);
}

/// True if the annotation of a result, or one item of `tuple[…]`, leaves the type to what is
/// returned.
static bool leavesTypeOpen(Context &cx, const ast::Expr &annotation) {
  const ast::Expr *inside = &annotation;
  if (auto *subscript = std::get_if<ast::Subscript>(&annotation.node)) {
    if (importedAs(*subscript->value, *cx.frame().module) == "typing.Union")
      return true;
    inside = subscript->index.get();
  }
  if (auto *tuple = std::get_if<ast::TupleExpr>(&inside->node))
    return std::any_of(tuple->elements.begin(), tuple->elements.end(),
                       [&](const ast::ExprPtr &item) { return isOpenType(cx, *item); });
  return isOpenType(cx, *inside);
}

/// Sets the type that a call returns, if the function's annotation says one. Annotations of
/// properties are host code. Returns false after an error.
static bool bindReturnType(Context &cx, const ast::FunctionDef &def, Frame &callee) {
  if (!def.returns || isProperty(def) || isInit(def) || leavesTypeOpen(cx, *def.returns))
    return true;
  TypeValue type;
  if (!signatureAnnotation(cx, *def.returns, type))
    return false;
  callee.returnType = type;
  return true;
}

/// The value of a parameter that the callee does not assign. Where it may change variables of the
/// caller, what the argument reads of them is read before.
static Value unassigned(Context &cx, Value value, SourceRange at, bool changesCaller) {
  const bool isKnown =
      cx.topLevel && value.kind == Value::Scalar && value.expr && staysExpression(*value.expr);
  if (isKnown)
    return value;
  return changesCaller ? snapshot(cx, std::move(value), at) : stable(cx, std::move(value), at);
}

/// Gives a parameter its value in the frame of the callee.
bool bindParameter(Context &cx, const BoundArgument &argument, const FunctionFacts &facts,
                   bool changesCaller) {
  const ast::Parameter &parameter = *argument.parameter;
  const Writing writing(cx, {argument.written});
  Value value = argument.value;
  if (isReferenceParameter(parameter) &&
      (!argument.reference || !fitsReference(cx, parameter, *argument.reference, argument.at)))
    return false;
  if (argument.reference) {
    cx.frame().scopes.back()[parameter.name] = argument.reference;
    return true;
  }
  if (isTemplateParameter(parameter)) {
    auto variable = declare(cx, parameter.name, parameter.at);
    variable->alias = true;
    value.isStatic = true;
    variable->value = unassigned(cx, std::move(value), argument.at, changesCaller);
    return true;
  }
  const ast::Expr *annotation = isInit(*cx.frame().function) ? nullptr : parameter.annotation.get();
  auto shape = annotation ? shapeAlone(cx, *annotation) : std::nullopt;
  if (shape) {
    if (value.kind == Value::Tuple)
      value = toMatrix(cx, value, argument.at);
    if (value.kind == Value::Matrix)
      shape->type = elementOf(cx, value).type;
    value = asAnnotated(cx, value, *shape, argument.at, "`" + std::string(parameter.name) + "`");
    if (value.isPoison())
      return false;
  } else if (annotation) {
    TypeValue type;
    if (!signatureAnnotation(cx, *annotation, type))
      return false;
    if (type.kind == TypeValue::NdArray) {
      if (value.kind != Value::Array) {
        error(cx, argument.at, Problem::ArgumentNotNdarray,
              "`" + std::string(parameter.name) + "` has to be an ndarray, not " + describe(value));
        return false;
      }
      if (type.ndim >= 0 && size_t(type.ndim) != value.array->shape.size()) {
        error(cx, argument.at, Problem::ArgumentDimensionsDiffer,
              "`" + std::string(parameter.name) + "` has to have " + std::to_string(type.ndim) +
                  " dimensions, but " + describe(value) + " has " +
                  std::to_string(value.array->shape.size()));
        return false;
      }
    } else if (type.kind == TypeValue::Struct) {
      const bool isStruct = value.kind == Value::Struct;
      if (!isStruct || !isSame(*value.type.structure, *type.structure)) {
        error(cx, argument.at, Problem::ArgumentNotOfStruct,
              "`" + std::string(parameter.name) + "` has to be a `" + type.structure->name +
                  "`, not " + describe(value));
        return false;
      }
    } else if (type.kind == TypeValue::Element && value.kind != Value::Array) {
      value = asAnnotated(cx, value, type.element, argument.at,
                          "`" + std::string(parameter.name) + "`");
      if (value.isPoison())
        return false;
    }
  } else if (!value.isStatic && !isObject(value)) {
    value = materialise(cx, value, argument.at);
    if (value.isPoison())
      return false;
  }
  auto variable = declare(cx, parameter.name, parameter.at);
  // Debuggers find a parameter in a local of its own. Outside of tasks such a local would make a
  // task, so there it is left out.
  const bool isShown = showsVariables(cx) && !cx.topLevel && !value.isStatic &&
                       (value.kind == Value::Scalar || value.kind == Value::Matrix);
  // Methods may change a record. What changes is a copy.
  const bool isChangeable = value.kind == Value::Struct && isRecord(value.type);
  // The function assigns it, or passes it on to one that does.
  const bool isMatrix = value.kind == Value::Matrix && !value.isStatic;
  const bool isChanged =
      facts.assigned.count(parameter.name) ||
      (isMatrix && changedBy(cx, cx.frame().function->body).count(parameter.name));
  if ((value.isRuntime() || isMatrix) && (isShown || isChangeable || isChanged)) {
    const auto number = unsigned(&parameter - cx.frame().function->parameters.data()) + 1;
    variable->value = newVariable(cx, *variable, value, argument.at, number);
    assignVariable(cx, variable, value, argument.at);
    return true;
  }
  variable->alias = true;
  variable->value = unassigned(cx, std::move(value), argument.at, changesCaller);
  return true;
}

/// Locates what a function returns. A name may be the caller's, so it gets no call here.
static void locateResult(Context &cx, Value &result) {
  if (result.expr && isTrivial(*result.expr))
    result.expr->at = {shownAt(cx, result.expr->at), result.expr->at.call};
  else if (result.expr)
    locate(cx, *result.expr);
  for (Value &item : result.items)
    locateResult(cx, item);
}

/// Runs the body of the frame's function where returns are guarded: they leave a scope, and a scope
/// cannot span tasks. The loops of a real function are its caller's.
static Flow execInScope(Context &cx, const ast::FunctionDef &def, bool isReal, SourceRange at) {
  Frame &callee = cx.frame();
  const bool savedTop = cx.topLevel;
  const char *savedIn = cx.serialIn;
  hir::Block &outer = block(cx, at);
  cx.topLevel = false;
  if (savedTop && !isReal)
    cx.serialIn = "in a function that returns under a condition";
  Flow end = Flow::Normal;
  hir::Block body;
  for (int attempt = 0; attempt < 4; ++attempt) {
    if (attempt > 0 && (!callee.runAgain || cx.errorsHere != callee.errorsAtEntry))
      break;
    // The results turned out wider than the first one, so the body runs again with the wider type.
    callee.runAgain = callee.returnScopeUsed = false;
    callee.resultLocals.reset();
    callee.directResult.reset();
    callee.valueReturn.reset();
    callee.bareReturn.reset();
    callee.returnScope = cx.newScope();
    body.clear();
    cx.current = &body;
    end = execBlock(cx, def.body);
  }
  cx.current = &outer;
  cx.topLevel = savedTop;
  cx.serialIn = savedIn;
  if (callee.returnScopeUsed)
    emit(cx, at, hir::Scope{callee.returnScope, std::move(body)});
  else
    for (auto &stmt : body)
      outer.push_back(std::move(stmt));
  return end;
}

Value inlineBody(Context &cx, const Value &function, const std::vector<BoundArgument> &args,
                 SourceRange at) {
  const ast::FunctionDef &def = *function.function;
  const FunctionFacts &facts = cx.program.factsOf(def);
  if (!stackLeft(cx, at) || !budget(cx, at))
    return Value();
  if (def.bodyIsOpaque)
    return error(cx, at, Problem::InternalBodyUnread,
                 "the body of `" + std::string(def.name) + "` could not be read");

  auto fresh = std::make_unique<Frame>();
  fresh->module = function.module;
  fresh->function = &def;
  fresh->callAt = at;
  fresh->call = fresh->codeCall = cx.frame().call;
  const bool entersLibrary =
      !function.module->library.empty() && cx.frame().module->library.empty();
  fresh->libraryCall = entersLibrary ? at : cx.frame().libraryCall;
  const bool isReal = isRealFunction(cx, def, *function.module);
  fresh->isReal = isReal || cx.frame().isReal;
  if (cx.options.calls && !cx.isHost() && function.module->library.empty()) {
    cx.draft.kernel.calls.push_back(
        {std::string(def.name), def.nameAt, {shownAt(cx, at), fresh->call}});
    fresh->call = unsigned(cx.draft.kernel.calls.size() - 1);
  }
  fresh->scopes.emplace_back();
  cx.frames.push_back(std::move(fresh));
  Frame &callee = cx.frame();
  unsigned errorsBefore = callee.errorsAtEntry = cx.errorsHere;

  bool ok = true;
  const bool changesCaller = std::ranges::any_of(args, [](const BoundArgument &arg) {
    const Variable *shared = arg.reference.get();
    return shared && (shared->place || (!shared->alias && !shared->readOnly));
  });
  for (auto &arg : args)
    ok &= bindParameter(cx, arg, facts, changesCaller);
  callee.codeCall = callee.call;
  ok = ok && bindReturnType(cx, def, callee);

  if (ok) {
    Flow end = Flow::Normal;
    if (facts.conditionalReturn || isReal) {
      end = execInScope(cx, def, isReal, at);
    } else {
      end = execBlock(cx, def.body, false);
    }
    if (cx.errorsHere == errorsBefore)
      checkReturns(cx, def, end);
  }

  Value result = callee.resultLocals   ? *callee.resultLocals
                 : callee.directResult ? *callee.directResult
                                       : Value::none();
  if (!ok || (cx.errorsHere != errorsBefore && result.kind == Value::None))
    result = Value();
  if (result.kind == Value::Matrix)
    result.isStatic = false; // a vector or matrix of the caller's own, which it may change
  locateResult(cx, result);
  cx.frames.pop_back();
  return result;
}

} // namespace sextant::sema
