#include "frontend/sema/eval/Inline.h"
#include "frontend/sema/Builtin.h"
#include "frontend/sema/Casts.h"
#include "frontend/sema/Decorators.h"
#include "frontend/sema/Struct.h"
#include "frontend/sema/eval/Annotations.h"
#include "frontend/sema/eval/Classes.h"
#include "frontend/sema/eval/Expressions.h"
#include "frontend/sema/eval/LoopBody.h"
#include "frontend/sema/eval/MarkOptions.h"
#include "frontend/sema/eval/Names.h"
#include "frontend/sema/eval/Places.h"
#include "frontend/sema/eval/References.h"
#include "frontend/sema/eval/Returns.h"
#include "frontend/sema/eval/Statements.h"
#include "frontend/sema/eval/Variables.h"
#include "frontend/sema/tasks/Launch.h"
#include "frontend/sema/values/Convert.h"

#include <algorithm>

namespace sextant::sema {

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

/// The argument of a parameter with a type that annotations of the language say. Poison after an
/// error.
static Value ofType(Context &cx, Value value, const TypeValue &type, const std::string &name,
                    SourceRange at) {
  if (type.kind == TypeValue::NdArray) {
    if (value.kind != Value::Array)
      return error(cx, at, Problem::ArgumentNotNdarray,
                   name + " has to be an ndarray, not " + describe(value));
    const size_t axes = value.array->shape.size();
    if (type.ndim >= 0 && size_t(type.ndim) != axes)
      return error(cx, at, Problem::ArgumentDimensionsDiffer,
                   name + " has to have " + std::to_string(type.ndim) + " dimensions, but " +
                       describe(value) + " has " + std::to_string(axes));
  } else if (type.kind == TypeValue::Struct) {
    const bool isStruct = value.kind == Value::Struct;
    if (!isStruct || !isSame(*value.type.structure, *type.structure))
      return error(cx, at, Problem::ArgumentNotOfStruct,
                   name + " has to be a `" + type.structure->name + "`, not " + describe(value));
  } else if (type.kind == TypeValue::Element && value.kind != Value::Array) {
    return asAnnotated(cx, value, type.element, at, name);
  }
  return value;
}

/// The argument as the parameter's annotation wants it. Poison after an error.
static Value annotated(Context &cx, const ast::Parameter &parameter, Value value, SourceRange at) {
  const ast::Expr *annotation = isInit(*cx.frame().function) ? nullptr : parameter.annotation.get();
  const std::string name = "`" + std::string(parameter.name) + "`";
  if (!annotation)
    return value.isStatic || isObject(value) ? value : materialise(cx, value, at);
  if (auto shape = shapeAlone(cx, *annotation)) {
    if (value.kind == Value::Tuple)
      value = toMatrix(cx, value, at);
    if (value.kind == Value::Matrix)
      shape->type = elementOf(cx, value).type;
    return asAnnotated(cx, value, *shape, at, name);
  }
  TypeValue type;
  return signatureAnnotation(cx, *annotation, type) ? ofType(cx, std::move(value), type, name, at)
                                                    : Value();
}

/// Gives a parameter its value in the frame of the callee.
static bool bindParameter(Context &cx, const BoundArgument &argument, const FunctionFacts &facts,
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
  value = annotated(cx, parameter, std::move(value), argument.at);
  if (value.isPoison())
    return false;
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
/// cannot span tasks. The thread that calls a real function runs its loops.
static Flow execInScope(Context &cx, const ast::FunctionDef &def, bool isReal, SourceRange at) {
  Frame &callee = cx.frame();
  const bool savedTop = cx.topLevel;
  const char *savedIn = cx.serialIn;
  hir::Block &outer = block(cx, at);
  cx.topLevel = false;
  if (savedTop)
    cx.serialIn = isReal ? "in a function under `@qd.real_func`"
                         : "in a function that returns under a condition";
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
  addLeft(cx, outer, callee.returnScope, callee.returnScopeUsed, std::move(body), at);
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
