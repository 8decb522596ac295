// Objects of `@qd.data_oriented` classes that kernels make: `ray = Ray(origin, direction)`. They
// exist while kernels are built, as in Quadrants: a member is a constant, an array, another object,
// or a value that the kernel computed where the object was made.
#include "frontend/sema/Decorators.h"
#include "frontend/sema/eval/Classes.h"
#include "frontend/sema/eval/Functions.h"
#include "frontend/sema/eval/Names.h"
#include "frontend/sema/eval/Places.h"
#include "frontend/sema/eval/Variables.h"

#include <algorithm>

namespace sextant::sema {

Value makeObject(Context &cx, const std::shared_ptr<const StructType> &type, const ast::Call &node,
                 SourceRange at) {
  auto own = std::make_shared<StructType>(*type);
  own->members.clear();
  auto object = std::make_shared<Variable>();
  object->name = "self";
  object->at = at;
  object->alias = true;
  object->value = Value::ofStruct(std::move(own), {});
  const std::optional<Value> init = findMethod(*type, "__init__");
  if (init) {
    if (callFunction(cx, *init, node, at, object).isPoison())
      return Value();
    if (cx.isHost())
      forgetChanged(cx, object->value);
    return object->value;
  }
  if (node.args.empty() && node.keywords.empty())
    return object->value;
  return error(cx, at, Problem::ArgumentCountWrong,
               "`" + type->name + "` has no `__init__` that could take arguments");
}

/// The first parameter of a function that runs: the object, of a method. Null if there is none.
static VariablePtr firstOf(const Frame &frame) {
  if (!frame.function || frame.function->parameters.empty() || frame.scopes.empty())
    return nullptr;
  const auto found = frame.scopes.front().find(frame.function->parameters[0].name);
  return found != frame.scopes.front().end() ? found->second : nullptr;
}

static bool makes(const Frame &frame, const Variable *object) {
  return frame.function && isInit(*frame.function) && firstOf(frame).get() == object;
}

VariablePtr objectInMaking(Context &cx, const ast::Expr &expr) {
  auto *name = std::get_if<ast::Name>(&expr.node);
  const VariablePtr object = name ? findVariable(cx, name->id) : nullptr;
  const bool isIt = object && object->alias && isObject(object->value) &&
                    std::ranges::any_of(
                        cx.frames, [&](const auto &frame) { return makes(*frame, object.get()); });
  return isIt ? object : nullptr;
}

/// True where code may not run, or may run again, since the object began.
static bool isConditional(Context &cx, const Variable &object) {
  const auto begin =
      std::ranges::find_if(cx.frames, [&](const auto &frame) { return makes(*frame, &object); });
  return std::any_of(begin, cx.frames.end(),
                     [](const auto &frame) { return frame->runtimeDepth > 0; });
}

void giveMember(Context &cx, Variable &object, const ast::Attribute &target, const Value &value,
                SourceRange at) {
  const std::string member = "`self." + std::string(target.name) + "`";
  if (isConditional(cx, object)) {
    error(cx, at, Problem::ContainerMadeInKernel,
          member + " is assigned under a condition or in a loop of the run, but an object has its "
                   "members from where it is made",
          "compute the value before, in a variable, and assign the member once");
    return;
  }
  auto own = std::make_shared<StructType>(*object.value.type.structure);
  const std::optional<size_t> old = own->find(target.name);
  if (!old) {
    StructMember declared;
    declared.name = std::string(target.name);
    own->members.push_back(std::move(declared));
    object.value.items.emplace_back();
  }
  const size_t k = old.value_or(object.value.items.size() - 1);
  object.value.items[k] = settled(cx, value, at);
  own->members[k].type = object.value.items[k].type;
  object.value.type.structure = std::move(own);
}

//===--- super() -----------------------------------------------------------===//

bool isSuper(Context &cx, const ast::Expr &expr) {
  auto *call = std::get_if<ast::Call>(&expr.node);
  auto *name = call ? std::get_if<ast::Name>(&call->callee->node) : nullptr;
  return name && name->id == "super" && call->args.empty() && !findVariable(cx, "super") &&
         firstOf(cx.frame());
}

Value callSuper(Context &cx, const ast::Attribute &method, const ast::Call &node, SourceRange at) {
  const VariablePtr self = firstOf(cx.frame());
  const ast::FunctionDef *here = cx.frame().function;
  const std::shared_ptr<const StructType> type =
      self->place ? self->place->structure : self->value.type.structure;
  bool isAfter = false;
  for (const StructType *kind : type ? resolutionOrder(*type) : std::vector<const StructType *>()) {
    const std::optional<Value> own = ownMethod(*kind, isAfter ? method.name : here->name);
    if (isAfter && own)
      return callFunction(cx, *own, node, at, self);
    isAfter |= own && own->function == here;
  }
  if (isAfter && method.name == "__init__" && node.args.empty() && node.keywords.empty())
    return Value::none(); // Python's `object` has it
  const std::string name(method.name);
  return isAfter
             ? error(cx, at, Problem::MemberUnknown,
                     "no base of the class of `" + std::string(here->name) + "` has `" + name + "`")
             : error(cx, at, Problem::MemberUnknown,
                     "`super()` is for methods, and `" + std::string(here->name) + "` is not one");
}

} // namespace sextant::sema
