// Calls of functions whose loops are tasks, and which have derivatives of their own. The function
// is run, and then the other one, with the same arguments: it works on `x.grad` and `x.dual`.
// frontend/gradients knows the two by their parts, and differentiates neither.
#include "frontend/sema/Decorators.h"
#include "frontend/sema/eval/Derivatives.h"
#include "frontend/sema/eval/Places.h"

#include <algorithm>
#include <utility>

namespace sextant::sema {

namespace {

/// The array's gradient or tangent in the derivative that is built; null: it has none.
const ArrayRef *derivativeOf(Context &cx, const ArrayRef &array) {
  const bool isField = array.space == ArrayRef::Field;
  return cx.derivative == Derivative::Forward && isField ? array.tangent.get()
                                                         : array.gradient.get();
}

/// True if the value is an array with a derivative, or has one.
bool hasDerivative(Context &cx, const Value &value) {
  if (value.kind != Value::Array)
    return std::ranges::any_of(value.items,
                               [&](const Value &item) { return hasDerivative(cx, item); });
  const ArrayRef &array = *value.array;
  return derivativeOf(cx, array) || (array.whole && derivativeOf(cx, *array.whole));
}

/// True if an argument that is passed as a place has a real.
bool hasReal(const Place &place) {
  return (place.kind == Place::Memory && isFloat(place.element.type)) ||
         std::ranges::any_of(place.parts, hasReal);
}

/// The reason why the function's derivative would miss that of an argument; empty: none.
std::string_view missed(Context &cx, const Value &value) {
  if (value.kind == Value::Scalar && value.expr && isFloat(value.expr->type) &&
      !std::holds_alternative<hir::Const>(value.expr->node))
    return "a real of the run";
  if (value.kind == Value::Array && !derivativeOf(cx, *value.array) && hasDerivative(cx, value))
    return "a part of an array";
  for (const Value &item : value.items)
    if (const std::string_view what = missed(cx, item); !what.empty())
      return what;
  return "";
}

/// Runs code whose tasks are of one part.
class OfPart {
public:
  OfPart(Context &cx, hir::Part part)
      : cx(cx), part(part), first(cx.tasks.size()), wasConstant(std::exchange(cx.isConstant, true)),
        wasDerivative(std::exchange(cx.inDerivative, part == hir::Part::Derivative)) {}
  ~OfPart() {
    closeSerialTask(cx);
    for (size_t k = first; k < cx.tasks.size(); ++k)
      cx.tasks[k]->part = part;
    cx.isConstant = wasConstant;
    cx.inDerivative = wasDerivative;
  }
  OfPart(const OfPart &) = delete;

private:
  Context &cx;
  const hir::Part part;
  const size_t first;
  const bool wasConstant, wasDerivative;
};

} // namespace

Value inlineTasks(Context &cx, const Value &function, const ast::FunctionDef &derivative,
                  const std::vector<BoundArgument> &args, SourceRange at) {
  const std::string name = "`" + std::string(function.function->name) + "`";
  if (std::ranges::none_of(
          args, [&](const BoundArgument &argument) { return hasDerivative(cx, argument.value); }))
    return inlineBody(cx, function, args, at);
  if (!isDecorated(derivative, *function.module, "func"))
    return error(cx, derivative.nameAt, Problem::GradientOfFunction,
                 "`" + std::string(derivative.name) + "` is a host function",
                 "decorate it with `@qd.func(requires_top_level=True)`, too");
  if (derivative.parameters.size() != args.size())
    return error(cx, derivative.nameAt, Problem::GradientOfFunction,
                 "`" + std::string(derivative.name) + "` does not take the parameters of " + name);
  for (const BoundArgument &argument : args) {
    const Place *place = argument.reference ? argument.reference->place.get() : nullptr;
    const std::string_view what =
        place && hasReal(*place) ? "a real of the run" : missed(cx, argument.value);
    if (!what.empty())
      return error(cx, argument.at, Problem::GradientOfFunction,
                   "`" + std::string(argument.parameter->name) + "` of " + name + " is " +
                       std::string(what) + ", and the function's own derivative would miss its");
  }
  closeSerialTask(cx);
  const size_t first = cx.tasks.size();
  Value result;
  {
    const OfPart replaced(cx, hir::Part::Replaced);
    result = inlineBody(cx, function, args, at);
  }
  if (!result.isPoison() && result.kind != Value::None)
    return error(cx, at, Problem::GradientOfFunction,
                 name + " has a derivative of its own, and may return nothing",
                 "store the result to an array");
  if (!result.isPoison() && cx.tasks.size() != first) {
    const OfPart part(cx, hir::Part::Derivative);
    std::vector<BoundArgument> same = args;
    for (size_t k = 0; k < same.size(); ++k)
      same[k].parameter = &derivative.parameters[k];
    const Value nothing = inlineBody(cx, Value::ofFunction(&derivative, function.module), same, at);
    if (nothing.isPoison())
      return Value();
    if (nothing.kind != Value::None)
      return error(cx, derivative.nameAt, Problem::GradientOfFunction,
                   "`" + std::string(derivative.name) +
                       "` computes the derivative of tasks, and may return nothing");
  }
  return result;
}

} // namespace sextant::sema
