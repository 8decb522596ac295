// Objects of `@qd.data_oriented` classes that kernels make: `ray = Ray(origin, direction)`. They
// exist while kernels are built, as in Quadrants: a member is a constant, an array, another object,
// or a value that the kernel computed where the object was made.
#include "frontend/sema/eval/Classes.h"
#include "frontend/sema/eval/Functions.h"
#include "frontend/sema/eval/Names.h"
#include "frontend/sema/eval/Variables.h"

namespace sextant::sema {

Value makeObject(Context &cx, const std::shared_ptr<const StructType> &type, const ast::Call &node,
                 SourceRange at) {
  const std::string what = "`" + type->name + "`";
  auto own = std::make_shared<StructType>(*type);
  own->members.clear();
  auto object = std::make_shared<Variable>();
  object->name = "self";
  object->at = at;
  object->alias = true;
  object->value = Value::ofStruct(std::move(own), {});
  const std::optional<Value> init = findMethod(*type, "__init__");
  if (!init) {
    if (node.args.empty() && node.keywords.empty())
      return object->value;
    return error(cx, at, Problem::ArgumentCountWrong,
                 what + " has no `__init__` that could take arguments");
  }
  if (init->function->bodyIsOpaque)
    return error(cx, at, Problem::ContainerMadeInKernel,
                 what + " cannot be made in kernels, because its `__init__` is code of the host",
                 "pass it to the kernel, or pass its members one by one",
                 {{init->function->nameAt, "this is not in the language of kernels"}});
  return initialise(cx, *init, object, node, at) ? object->value : Value();
}

VariablePtr objectInMaking(Context &cx, const ast::Expr &expr) {
  auto *name = std::get_if<ast::Name>(&expr.node);
  const ast::FunctionDef *function = cx.frame().function;
  if (!name || !function || function->name != "__init__" || function->parameters.empty() ||
      function->parameters[0].name != name->id)
    return nullptr;
  VariablePtr self = findVariable(cx, name->id);
  return self && self->alias && isObject(self->value) ? self : nullptr;
}

/// A value that later assignments do not change. Constants and objects are such values already.
static Value kept(Context &cx, const Value &value, SourceRange at) {
  if (!value.isRuntime() || isObject(value))
    return value;
  if (value.kind != Value::Tuple)
    return snapshot(cx, value, at);
  Value items = value;
  for (Value &item : items.items)
    item = kept(cx, item, at);
  return items;
}

void giveMember(Context &cx, Variable &object, const ast::Attribute &target, const Value &value,
                SourceRange at) {
  const std::string member = "`self." + std::string(target.name) + "`";
  if (cx.frame().runtimeDepth > 0) {
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
  object.value.items[k] = kept(cx, value, at);
  own->members[k].type = object.value.items[k].type;
  object.value.type.structure = std::move(own);
}

} // namespace sextant::sema
