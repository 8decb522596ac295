// Binds parameters that share a variable or an element of the caller.
#include "frontend/sema/eval/References.h"
#include "frontend/sema/Casts.h"
#include "frontend/sema/eval/Annotations.h"
#include "frontend/sema/eval/Classes.h"
#include "frontend/sema/eval/MarkOptions.h"
#include "frontend/sema/eval/Places.h"
#include "frontend/sema/values/Convert.h"

namespace sextant::sema {

/// True if the last name of the annotation is this, with or without a call.
static bool isAnnotatedBy(const ast::Parameter &parameter, std::string_view wanted) {
  if (!parameter.annotation)
    return false;
  const ast::Expr *expr = parameter.annotation.get();
  if (auto *call = std::get_if<ast::Call>(&expr->node))
    expr = call->callee.get();
  if (auto *attribute = std::get_if<ast::Attribute>(&expr->node))
    return attribute->name == wanted;
  auto *name = std::get_if<ast::Name>(&expr->node);
  return name && name->id == wanted;
}

bool isTemplateParameter(const ast::Parameter &parameter) {
  return isAnnotatedBy(parameter, "template") || isAnnotatedBy(parameter, "Template");
}

bool isReferenceParameter(const ast::Parameter &parameter) {
  return isAnnotatedBy(parameter, "ref");
}

VariablePtr variableAt(Place place, std::string name) {
  if (place.kind == Place::Local && place.members.empty() && place.path.empty())
    return place.variable;
  auto variable = std::make_shared<Variable>();
  variable->name = std::move(name);
  variable->at = place.at;
  variable->alias = true;
  variable->place = std::make_shared<const Place>(std::move(place));
  return variable;
}

bool isReference(const Variable &variable) { return variable.place != nullptr; }

/// Reads what the place's index reads, so that it stays the same place.
static void settle(Context &cx, Place &place) {
  for (ExprRef *each : {&place.index, &place.guard})
    if (*each)
      *each = snapshot(cx, Value::scalar(*each), place.at).expr;
  for (Value &index : place.path)
    index = snapshot(cx, std::move(index), place.at);
  for (Place &part : place.parts)
    settle(cx, part);
}

static bool isSlice(const ast::Expr &index) {
  auto *list = std::get_if<ast::TupleExpr>(&index.node);
  return std::holds_alternative<ast::Slice>(index.node) ||
         (list && std::ranges::any_of(list->elements,
                                      [](const ast::ExprPtr &each) { return isSlice(*each); }));
}

/// True for a variable, or an element or a member, that lies in memory or in locals. It evaluates
/// nothing.
static bool isInPlace(Context &cx, const ast::Expr &expr) {
  if (auto *name = std::get_if<ast::Name>(&expr.node)) {
    const VariablePtr variable = findVariable(cx, name->id);
    return variable && (variable->place ||
                        (!variable->alias && !variable->readOnly && isInLocals(variable->value)));
  }
  if (auto *subscript = std::get_if<ast::Subscript>(&expr.node)) {
    const Value *base = knownValue(cx, *subscript->value);
    if (base && base->kind == Value::Array)
      return !isSlice(*subscript->index);
    if (base && base->kind == Value::Tuple) { // which item it is has to be known
      const Value *item = knownValue(cx, expr);
      return item && isInLocals(*item) && isInPlace(cx, *subscript->value);
    }
    return isInPlace(cx, *subscript->value);
  }
  auto *attribute = std::get_if<ast::Attribute>(&expr.node);
  if (!attribute || !isInPlace(cx, *attribute->value))
    return false;
  if (const auto type = structAt(cx, *attribute->value)) {
    const Value *member = knownValue(cx, expr);
    return type->find(attribute->name) && (!member || isInLocals(*member));
  }
  std::vector<unsigned> components = swizzle(attribute->name);
  std::ranges::sort(components);
  return !components.empty() && std::ranges::adjacent_find(components) == components.end();
}

VariablePtr elementShared(Context &cx, const ast::Expr &argument, std::string_view name) {
  if (cx.isHost() || std::holds_alternative<ast::Name>(argument.node) || !isInPlace(cx, argument))
    return nullptr;
  std::optional<Place> place;
  {
    // An element outside of a field can be read then. The argument's value is it, or an error.
    std::optional<Quietly> quiet;
    if (cx.options.outsideReads)
      quiet.emplace(cx);
    place = evalPlace(cx, argument, /*forWrite=*/true);
  }
  if (!place || place->kind == Place::None || place->kind == Place::Whole ||
      place->kind == Place::Items)
    return nullptr;
  settle(cx, *place);
  return variableAt(std::move(*place), std::string(name));
}

VariablePtr referenceTo(Context &cx, const ast::Expr &argument, const ast::Parameter &parameter) {
  std::optional<Place> place = evalPlace(cx, argument, /*forWrite=*/true);
  if (!place)
    return nullptr;
  const std::string name = "`" + std::string(parameter.name) + "`";
  auto refuse = [&](std::string message, std::string fix) {
    return error(cx, argument.at, Problem::ReferenceWrong, std::move(message), std::move(fix));
  };
  if (place->structure || place->kind == Place::Whole || place->kind == Place::Items)
    return refuse(name + " is a reference to a number, vector or matrix, and this is not one",
                  "pass a variable or an element; a `qd.template()` takes arrays and structs");
  if (place->kind == Place::Local && (place->variable->readOnly || place->variable->alias))
    return refuse("`" + place->variable->name + "` cannot be changed, and " + name +
                      " is a reference",
                  "copy it into a variable first");
  settle(cx, *place);
  return variableAt(std::move(*place), std::string(parameter.name));
}

bool fitsReference(Context &cx, const ast::Parameter &parameter, const Variable &reference,
                   SourceRange at) {
  const ast::Expr &annotation = *parameter.annotation;
  const std::string name(parameter.name);
  const ast::FunctionDef &function = *cx.frame().function;
  auto refuse = [&](SourceRange where, Problem problem, std::string message, Fix fix) {
    return error(cx, where, problem, std::move(message), std::move(fix));
  };
  const std::string package = packagePrefix(cx, annotation.at.file);
  if (!isRealFunction(cx, function, *cx.frame().module))
    return refuse(parameter.at, Problem::ReferenceMisplaced,
                  "`" + name + "` is a reference, and `" + std::string(function.name) +
                      "` is not a `@qd.real_func`",
                  Fix("write `" + name + ": qd.template()`, which shares the caller's variable",
                      package.empty()
                          ? std::vector<Edit>()
                          : std::vector<Edit>{{annotation.at, package + "template()"}}));
  auto *call = std::get_if<ast::Call>(&annotation.node);
  TypeValue type;
  if (call && call->args.size() == 1 && !signatureAnnotation(cx, *call->args[0], type))
    return false;
  if (!call || call->args.size() != 1 || type.kind != TypeValue::Element)
    return refuse(annotation.at, Problem::ReferenceMisplaced,
                  "`qd.types.ref` takes the type of a number, vector or matrix",
                  "write `" + name + ": qd.types.ref(qd.f32)`");
  ElementType has;
  if (reference.place)
    has = reference.place->element;
  else if (reference.value.kind == Value::Matrix)
    has = elementOf(cx, reference.value);
  else
    has.type = typeOf(cx, reference.value);
  const ElementType &wanted = type.element;
  if (has.type == wanted.type && has.rows == wanted.rows && has.cols == wanted.cols &&
      has.vector == wanted.vector)
    return true;
  return refuse(at, Problem::ReferenceWrong,
                "`" + name + "` is a reference to " + spell(wanted) + ", and this is " + spell(has),
                "pass a variable or an element of that type");
}

} // namespace sextant::sema
