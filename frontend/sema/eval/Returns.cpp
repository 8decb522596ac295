// `return` from an inlined function and from a kernel. Checks what annotations promise, and that
// every path keeps the promise.
#include "frontend/sema/eval/Returns.h"
#include "frontend/sema/Casts.h"
#include "frontend/sema/Context.h"
#include "frontend/sema/Struct.h"
#include "frontend/sema/eval/Expressions.h"
#include "frontend/sema/eval/MarkOptions.h"
#include "frontend/sema/eval/Variables.h"
#include "frontend/sema/values/Convert.h"
#include "frontend/spelling/Texts.h"

namespace sextant::sema {

//===--- Promises ----------------------------------------------------------===//

/// Remembers which kinds of return a function has.
static void noteReturn(Context &cx, const ast::Return &node, SourceRange at, const Value &value) {
  Frame &f = cx.frame();
  bool isBare = !node.value || value.kind == Value::None;
  std::optional<SourceRange> &first = isBare ? f.bareReturn : f.valueReturn;
  if (!first)
    first = at;
}

/// With a value on one path and none on another, the result would be whatever memory holds.
void checkReturns(Context &cx, const ast::FunctionDef &function, Flow end) {
  Frame &f = cx.frame();
  std::string name = "`" + std::string(function.name) + "`";
  if (f.valueReturn && f.bareReturn) {
    error(cx, *f.bareReturn, Problem::ReturnWithoutValue,
          name + " returns no value here, but does elsewhere",
          "return a value on every path, or on none",
          {{*f.valueReturn, "a value is returned here"}});
    return;
  }
  if (f.valueReturn && end == Flow::Normal) {
    error(cx, *f.valueReturn, Problem::ReturnMissing,
          name + " returns a value here, but not on every path: its end can be reached",
          "return a value at its end too", {{function.body.back()->at, "the end is after this"}});
    return;
  }
  if (f.valueReturn && !function.returns && isRealFunction(cx, function, *f.module)) {
    error(cx, *f.valueReturn, Problem::ReturnNotAnnotated,
          name + " returns a value, but is not annotated with its type",
          "write the type after the parameters: `-> qd.f32`");
    return;
  }
  bool promises = f.returnType && f.returnType->kind != TypeValue::NoneType &&
                  f.returnType->kind != TypeValue::Template;
  if (promises && !f.valueReturn && cx.errorsHere == f.errorsAtEntry)
    error(cx, function.nameAt, Problem::ReturnNever,
          name + " is annotated to return a value, but never does");
}

/// Converts the result of a function to its annotation.
static Value annotatedResult(Context &cx, const Value &value, SourceRange at) {
  const Frame &f = cx.frame();
  if (!f.returnType || value.isPoison() || value.kind == Value::None)
    return value;
  std::string what = "the result of `" + std::string(f.function->name) + "`";
  auto one = [&](const Value &item, const TypeValue &type) {
    if (type.kind == TypeValue::Struct)
      return castToStruct(cx, item, type.structure, at);
    return type.kind == TypeValue::Element ? asAnnotated(cx, item, type.element, at, what) : item;
  };
  switch (f.returnType->kind) {
  case TypeValue::Element:
  case TypeValue::Struct:
    return one(value, *f.returnType);
  case TypeValue::NoneType:
    return error(cx, at, Problem::ReturnDespiteNone,
                 "`" + std::string(f.function->name) +
                     "` is annotated with `-> None`, but returns a value");
  case TypeValue::Tuple: {
    const std::vector<TypeValue> &types = f.returnType->items;
    if (value.kind != Value::Tuple || value.items.size() != types.size())
      return error(cx, at, Problem::ReturnCountWrong,
                   what + " is annotated as " + std::to_string(types.size()) + " values, but is " +
                       describe(value) +
                       (value.kind == Value::Tuple ? " of " + std::to_string(value.items.size())
                                                   : std::string()));
    Value out = value;
    for (size_t i = 0; i < types.size(); ++i) {
      const Writing writing(cx, itemOf(cx.written, i, types.size()));
      out.items[i] = one(value.items[i], types[i]);
      if (out.items[i].isPoison())
        return Value();
    }
    return out;
  }
  default:
    return value;
  }
}

/// Converts a value to the result that a kernel announces. Errors suggest a fix of the annotation.
static std::string spellResult(const Value &value, const std::string &scalar) {
  if (value.kind != Value::Matrix)
    return "qd." + scalar;
  if (value.vector)
    return "qd.types.vector(" + std::to_string(value.rows) + ", qd." + scalar + ")";
  return "qd.types.matrix(" + std::to_string(value.rows) + ", " + std::to_string(value.cols) +
         ", qd." + scalar + ")";
}

/// Adds a result's type, or those of its members if it is a struct.
static void addFlat(std::vector<TypeValue> &types, const TypeValue &type) {
  if (type.kind != TypeValue::Struct || type.structure->kind != StructType::Record)
    return types.push_back(type);
  for (const StructMember &member : type.structure->members)
    addFlat(types, member.type);
}

std::vector<TypeValue> resultTypes(const TypeValue &type) {
  std::vector<TypeValue> types;
  for (const TypeValue &each : type.kind == TypeValue::Tuple ? type.items : std::vector{type})
    addFlat(types, each);
  return types;
}

std::string nameOfResult(size_t index) { return "return" + std::to_string(index); }

/// Puts the members of structs in place of the structs. Returns false after an error.
static bool flattenStructs(Context &cx, std::vector<TypeValue> &types, std::vector<Value> &results,
                           SourceRange at) {
  for (size_t i = 0; i < types.size() && i < results.size();) {
    if (types[i].kind != TypeValue::Struct || types[i].structure->kind != StructType::Record) {
      ++i;
      continue;
    }
    const std::shared_ptr<const StructType> type = types[i].structure;
    const Value whole = castToStruct(cx, results[i], type, at);
    if (whole.isPoison())
      return false;
    results.erase(results.begin() + long(i));
    results.insert(results.begin() + long(i), whole.items.begin(), whole.items.end());
    types.erase(types.begin() + long(i));
    for (size_t k = type->members.size(); k-- > 0;)
      types.insert(types.begin() + long(i), type->members[k].type);
  }
  return true;
}

/// Reports a value that a kernel returns without saying its type.
static void refuseUnannotated(Context &cx, const Value &value, const std::string &name,
                              SourceRange at) {
  Value shape = value.kind == Value::Tuple ? Value() : materialise(cx, value, at);
  std::string fix = "write the type after the parameters: `-> qd.f32`, "
                    "`-> tuple[qd.f32, qd.i32]`";
  if (shape.kind == Value::Scalar || shape.kind == Value::Matrix)
    fix = "write the type after the parameters: `-> " +
          spellResult(shape, spell(shape.kind == Value::Scalar ? shape.expr->type
                                                               : typeOf(cx, shape.items[0]))) +
          "`";
  error(cx, at, Problem::ReturnNotAnnotated,
        name + " returns a value, but is not annotated with its type", fix);
}

/// Casts a result to the type of the annotation. Returns false after an error.
static bool castResult(Context &cx, Value &result, const ElementType &type, const std::string &name,
                       SourceRange at) {
  if (type.matrix && result.kind == Value::Tuple)
    result = toMatrix(cx, result, at);
  if (result.isPoison())
    return false;
  const bool fits = type.matrix ? result.kind == Value::Matrix && result.rows == type.rows &&
                                      result.cols == type.cols && result.vector == type.vector
                                : result.isNumber();
  const bool isInteger = type.matrix && !isFloat(type.type);
  if (!fits || (isInteger && isFloat(typeOf(cx, result.items[0])))) {
    const std::string is = result.kind == Value::Matrix
                               ? "a " + spell(ElementType{typeOf(cx, result.items[0]), result.rows,
                                                          result.cols, true, result.vector})
                               : describe(result);
    return error(cx, at, Problem::ReturnAnnotatedDifferently,
                 name + " is annotated to return " + spell(type) + ", but returns " + is,
                 fits ? "cast it, as in `v.cast(qd." + spell(type.type) + ")`"
                      : "change the annotation or the value");
  }
  warnLossy(cx, result, type.type, at);
  result = castTo(cx, result, type, at);
  return !result.isPoison();
}

/// Returns the values of a kernel's return, one for each result, or nothing after an error.
static std::optional<std::vector<Value>> kernelResults(Context &cx, const Value &value,
                                                       SourceRange at) {
  const Frame &f = cx.frame();
  if (value.isPoison())
    return std::nullopt;
  std::vector<Value> results;
  if (value.kind == Value::None)
    return results;
  std::string name = "`" + std::string(f.function->name) + "`";
  auto fail = [&](Problem problem, std::string message, std::string fix = {}) {
    return error(cx, at, problem, std::move(message), std::move(fix));
  };
  if (!f.returnType) {
    refuseUnannotated(cx, value, name, at);
    return std::nullopt;
  }
  if (f.returnType->kind == TypeValue::NoneType)
    return fail(Problem::ReturnDespiteNone,
                "the kernel is annotated with `-> None`, but returns a value");
  const bool isTuple = f.returnType->kind == TypeValue::Tuple;
  std::vector<TypeValue> types =
      isTuple ? f.returnType->items : std::vector<TypeValue>{*f.returnType};
  const bool isVectorList = f.returnType->kind == TypeValue::Element &&
                            f.returnType->element.matrix && value.kind == Value::Tuple;
  if (isTuple && value.kind == Value::Tuple)
    results = value.items;
  else
    results = {isVectorList ? toMatrix(cx, value, at) : value};
  if (types.size() != results.size() || (value.kind == Value::Tuple && !isVectorList && !isTuple))
    return fail(Problem::ReturnCountWrong,
                "the kernel is annotated with " + countText(types.size(), "result") +
                    ", but returns " +
                    std::to_string(value.kind == Value::Tuple ? value.items.size() : 1));
  if (!flattenStructs(cx, types, results, at))
    return std::nullopt;
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i].isPoison())
      return std::nullopt;
    if (types[i].kind != TypeValue::Element)
      return fail(Problem::ReturnTypeNotOfKernels, "a kernel cannot return " + spell(types[i]),
                  "return scalars, vectors, matrices, or a tuple of those");
    const bool isOne = results.size() == 1;
    const Writing writing(cx, isOne ? cx.written : itemOf(cx.written, i, results.size()));
    if (!castResult(cx, results[i], types[i].element, name, at))
      return std::nullopt;
  }
  return results;
}

//===--- Kernels -----------------------------------------------------------===//

/// Writes the results to the hidden buffers, from which the launch returns them.
static Flow execKernelReturn(Context &cx, const ast::Stmt &stmt, const ast::Return &node) {
  Frame &f = cx.frame();
  if (cx.region != 0) {
    error(cx, stmt.at, Problem::ReturnInsideParallelLoop,
          "a kernel cannot return from inside a parallel loop", "`continue` ends an iteration");
    return Flow::Dead;
  }
  if (cx.span != 0) {
    error(cx, stmt.at, Problem::ReturnInsideSpan,
          "a kernel cannot return from a loop on the device, a checkpoint or a parallel section",
          "return after it");
    return Flow::Dead;
  }
  Value value = node.value ? eval(cx, *node.value) : Value::none();
  noteReturn(cx, node, stmt.at, value);
  const Writing writing(cx, {node.value.get()});
  auto results = kernelResults(cx, value, stmt.at);
  if (!results)
    return Flow::Dead;
  for (size_t i = 0; i < results->size(); ++i) {
    const Value &result = (*results)[i];
    hir::Type type = result.kind == Value::Scalar ? result.expr->type : typeOf(cx, result.items[0]);
    std::string name = nameOfResult(i);
    unsigned param = ~0u;
    for (size_t h = 0; h < cx.draft.kernel.hidden.size(); ++h)
      if (cx.draft.kernel.hidden[h].role == hir::HiddenBuffer::Return &&
          cx.draft.kernel.hidden[h].name == name)
        param = cx.draft.paramOf(h);
    if (param == ~0u) {
      hir::HiddenBuffer hidden;
      hidden.role = hir::HiddenBuffer::Return;
      hidden.name = name;
      hidden.type = type;
      hidden.rows = result.rows;
      hidden.cols = result.cols;
      hidden.count = result.rows * result.cols;
      param = cx.draft.addHidden(std::move(hidden));
    }
    const hir::HiddenBuffer &hidden = *cx.draft.hiddenAt(param);
    std::vector<Value> items =
        result.kind == Value::Matrix ? result.items : std::vector<Value>{result};
    if (hidden.count != items.size()) {
      error(cx, stmt.at, Problem::ReturnsDiffer, "the kernel's returns differ in shape");
      return Flow::Dead;
    }
    for (size_t k = 0; k < items.size(); ++k) {
      ExprRef e = convert(cx, items[k], hidden.type, stmt.at);
      if (!e)
        return Flow::Dead;
      emit(cx, stmt.at,
           hir::Store{{hir::BufferRef::Param, param},
                      take(cx, makeInt(Exact(k), hir::Type::I32, stmt.at)),
                      take(cx, std::move(e)),
                      false});
    }
  }
  if (f.runtimeDepth > 0) {
    if (!cx.open->returnScope)
      cx.open->returnScope = cx.newScope();
    if (!cx.draft.returned)
      cx.draft.returned = newLocal(cx, "returned", hir::Type::I32);
    emit(cx, stmt.at,
         hir::Assign{*cx.draft.returned, take(cx, makeInt(1, hir::Type::I32, stmt.at))});
    emit(cx, stmt.at, hir::Leave{cx.open->returnScope});
  }
  return Flow::Dead;
}

//===--- Functions ---------------------------------------------------------===//

Flow execReturn(Context &cx, const ast::Stmt &stmt, const ast::Return &node) {
  Frame &f = cx.frame();
  if (f.isKernel)
    return execKernelReturn(cx, stmt, node);
  Value value = node.value ? eval(cx, *node.value) : Value::none();
  noteReturn(cx, node, stmt.at, value);
  const Writing writing(cx, {node.value.get()});
  value = annotatedResult(cx, value, stmt.at);
  if (f.runtimeDepth == 0 && !f.returnScopeUsed) {
    f.directResult = std::move(value);
    return Flow::Dead;
  }
  if (value.isPoison()) {
    f.directResult = Value();
  } else if (value.kind != Value::None) {
    if (!value.isRuntime() && !value.isExact() && !value.isCompound()) {
      error(cx, stmt.at, Problem::ReturnUnderCondition,
            describe(value) + " cannot be returned under a run-time condition");
      return Flow::Dead;
    }
    auto holder = std::make_shared<Variable>();
    holder->name = "the result of `" + std::string(f.function->name) + "`";
    // The leaves of a result, in order.
    std::function<void(Value &, const std::function<void(Value &)> &)> eachLeaf =
        [&](Value &v, const std::function<void(Value &)> &visit) {
          if (v.isNumber())
            visit(v);
          else if (v.isCompound())
            for (Value &item : v.items)
              eachLeaf(item, visit);
        };
    if (!f.resultLocals) {
      Value typed = materialise(cx, value, stmt.at);
      if (typed.isPoison())
        return Flow::Dead;
      size_t k = 0;
      eachLeaf(typed, [&](Value &leaf) {
        if (k < f.resultTypes.size())
          leaf = Value::scalar(
              makeCast(leaf.expr, promote(leaf.expr->type, f.resultTypes[k]), stmt.at));
        ++k;
      });
      f.resultLocals = newVariableLeaves(cx, "result", typed, stmt.at);
    } else {
      // If the type of the first result would lose part of a result, the type becomes wider.
      std::vector<hir::Type> have, want;
      Value result = value;
      eachLeaf(*f.resultLocals, [&](Value &leaf) { have.push_back(leaf.expr->type); });
      eachLeaf(result, [&](Value &leaf) {
        hir::Type type = typeOf(cx, leaf);
        size_t k = want.size();
        if (k < have.size() && leaf.kind == Value::Int && !isFloat(have[k]))
          type = have[k]; // a literal takes the type of the others
        want.push_back(k < have.size() ? promote(have[k], type) : type);
      });
      if (want.size() == have.size() && want != have) {
        f.resultTypes = want;
        f.runAgain = true;
      }
    }
    assignLeaves(cx, *f.resultLocals, value, holder, stmt.at);
  }
  if (f.runtimeDepth > 0) {
    f.returnScopeUsed = true;
    emit(cx, stmt.at, hir::Leave{f.returnScope});
  }
  return Flow::Dead;
}

} // namespace sextant::sema
