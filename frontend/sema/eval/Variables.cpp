// Makes variables and assigns to them.
#include "frontend/sema/eval/Variables.h"
#include "frontend/sema/Context.h"
#include "frontend/sema/Struct.h"
#include "frontend/sema/tasks/Launch.h"
#include "frontend/sema/values/Convert.h"
#include "frontend/sema/values/Operators.h"

#include <algorithm>

namespace sextant::sema {

using hir::Type;

/// Makes locals for every leaf of a value.
Value newVariableLeaves(Context &cx, const std::string &name, const Value &value, SourceRange at) {
  Value leaves = value;
  leaves.isStatic = false;
  if (value.kind == Value::Scalar) {
    Type type = value.expr->type;
    leaves.expr = makeLocal(newLocal(cx, name, type), type, at);
  } else if (value.kind == Value::Matrix) { // one type, and locals side by side
    Type type = typeOf(cx, value.items[0]);
    for (const Value &item : value.items)
      type = promote(type, typeOf(cx, item));
    cx.draft.variables[unsigned(cx.draft.locals.size())] = {name, unsigned(value.items.size())};
    for (size_t i = 0; i < leaves.items.size(); ++i)
      leaves.items[i] =
          Value::scalar(makeLocal(newLocal(cx, name + "_" + std::to_string(i), type), type, at));
  } else if (value.kind == Value::Tuple) {
    for (size_t i = 0; i < leaves.items.size(); ++i)
      leaves.items[i] = newVariableLeaves(cx, name + "_" + std::to_string(i), value.items[i], at);
  } else if (value.kind == Value::Struct) {
    const auto &members = value.type.structure->members;
    for (size_t i = 0; i < leaves.items.size(); ++i)
      leaves.items[i] = newVariableLeaves(cx, name + "_" + members[i].name, value.items[i], at);
  }
  return leaves;
}

static bool holdsScalar(const Value &value) {
  return value.kind == Value::Scalar || std::ranges::any_of(value.items, holdsScalar);
}

Value settled(Context &cx, Value value, SourceRange at) {
  if (value.kind == Value::Scalar)
    return staysExpression(*value.expr) ? value : snapshot(cx, std::move(value), at);
  const bool hasParts =
      value.kind == Value::Dict || value.kind == Value::Range || value.isCompound();
  if (!hasParts || isObject(value) || !holdsScalar(value)) // an object's members are settled
    return value;
  for (Value &item : value.items)
    item = settled(cx, std::move(item), at);
  return value;
}

/// True if debuggers are to show the variables of the current function.
bool showsVariables(Context &cx) {
  return cx.options.variables && !cx.isHost() && cx.frame().module->library.empty();
}

/// Tells debuggers that `leaves` are the variable `name`.
void nameLeaves(Context &cx, const std::string &name, const Value &leaves, SourceRange at,
                unsigned parameter) {
  auto nameLocal = [&](const Value &leaf, unsigned component) {
    if (leaf.kind != Value::Scalar)
      return;
    hir::Local &local = cx.draft.locals[std::get<hir::LocalRead>(leaf.expr->node).local];
    local.variable = unsigned(cx.draft.kernel.variables.size() - 1);
    local.component = component;
  };
  if (leaves.kind == Value::Scalar) {
    cx.draft.kernel.variables.push_back({name, {at, cx.frame().call}, 1, 1, parameter});
    nameLocal(leaves, 0);
  } else if (leaves.kind == Value::Matrix) {
    cx.draft.kernel.variables.push_back(
        {name, {at, cx.frame().call}, leaves.rows, leaves.cols, parameter});
    for (size_t i = 0; i < leaves.items.size(); ++i)
      nameLocal(leaves.items[i], unsigned(i));
  } else if (leaves.kind == Value::Tuple) {
    for (size_t i = 0; i < leaves.items.size(); ++i)
      nameLeaves(cx, name + "_" + std::to_string(i), leaves.items[i], at);
  } else if (leaves.kind == Value::Struct) {
    const auto &members = leaves.type.structure->members;
    for (size_t i = 0; i < leaves.items.size(); ++i)
      nameLeaves(cx, name + "." + members[i].name, leaves.items[i], at);
  }
}

Value newVariable(Context &cx, const Variable &variable, const Value &value, SourceRange at,
                  unsigned parameter) {
  Value leaves = newVariableLeaves(cx, variable.name, value, at);
  if (showsVariables(cx))
    nameLeaves(cx, variable.name, leaves, variable.at, parameter);
  return leaves;
}

void assignLeaves(Context &cx, const Value &leaves, const Value &value, const VariablePtr &variable,
                  SourceRange at) {
  if (value.isPoison())
    return;
  switch (leaves.kind) {
  case Value::Scalar: {
    if (!value.isNumber()) {
      error(cx, at, Problem::VariableTypeFixed,
            "`" + variable->name + "` is a " + spell(leaves.expr->type) + " and cannot become " +
                describe(value),
            "a variable keeps the type of its first assignment; use another name");
      return;
    }
    ExprRef e = convert(cx, value, leaves.expr->type, at);
    if (e)
      emit(cx, at,
           hir::Assign{std::get<hir::LocalRead>(leaves.expr->node).local, take(cx, std::move(e))});
    return;
  }
  case Value::Matrix: {
    ElementType shape = elementOf(cx, leaves);
    Value from = value.kind == Value::Tuple ? toMatrix(cx, value, at) : value;
    if (from.isNumber())
      from = Value::matrix(leaves.rows, leaves.cols, leaves.vector,
                           std::vector<Value>(leaves.items.size(), stable(cx, from, at)));
    if (from.kind != Value::Matrix || from.rows != leaves.rows || from.cols != leaves.cols) {
      if (!from.isPoison())
        error(
            cx, at, Problem::VariableTypeFixed,
            "`" + variable->name + "` is a " + spell(shape) + " and cannot become " +
                (from.kind == Value::Matrix ? "a " + spell(elementOf(cx, from)) : describe(value)));
      return;
    }
    from = snapshot(cx, std::move(from), at);
    for (size_t i = 0; i < leaves.items.size(); ++i)
      assignLeaves(cx, leaves.items[i], from.items[i], variable, at);
    return;
  }
  case Value::Tuple: {
    if ((value.kind != Value::Tuple && value.kind != Value::Matrix) ||
        value.items.size() != leaves.items.size()) {
      error(cx, at, Problem::TupleTypeFixed,
            "`" + variable->name + "` is a tuple of " + std::to_string(leaves.items.size()) +
                " and cannot become " + describe(value));
      return;
    }
    Value from = snapshot(cx, value, at);
    for (size_t i = 0; i < leaves.items.size(); ++i)
      assignLeaves(cx, leaves.items[i], from.items[i], variable, at);
    return;
  }
  case Value::Struct: {
    const Value from = snapshot(cx, castToStruct(cx, value, leaves.type.structure, at), at);
    for (size_t i = 0; i < leaves.items.size() && !from.isPoison(); ++i)
      assignLeaves(cx, leaves.items[i], from.items[i], variable, at);
    return;
  }
  default: // compile-time parts of a tuple
    keepKnown(cx, leaves, value, "`" + variable->name + "`", at);
  }
}

void keepKnown(Context &cx, const Value &part, const Value &value, const std::string &name,
               SourceRange at) {
  if (value.isPoison() || areEqual(part, value) == true)
    return;
  const std::string has = describe(part), wanted = describe(value);
  error(cx, at, Problem::VariableTypeFixed,
        name + " holds " + has + ", and cannot come to hold " +
            (has == wanted ? "another one" : wanted) + ": only numbers change at run time",
        "use another name");
}

/// Gives a name of compile time another value. Code that may not run, or runs again, cannot.
static void rebind(Context &cx, Variable &variable, const Value &value, SourceRange at) {
  const bool isConditional = cx.runtimeDepth() > variable.depth && !variable.value.isPoison();
  if (isConditional && areEqual(variable.value, value) != true)
    error(cx, at, Problem::StaticNameAssigned,
          "`" + variable.name + "` is " + describe(variable.value) +
              " at compile time, and cannot become another value under a condition or in a loop of "
              "the run",
          "use another name; or decide at compile time, as in `if qd.static(...)`");
  else
    variable.value = value;
}

void assignVariable(Context &cx, const VariablePtr &variable, const Value &value, SourceRange at) {
  if (value.isPoison())
    return;
  if (variable->readOnly) {
    error(cx, at, Problem::ArgumentAssigned,
          "`" + variable->name + "` is an argument of the kernel and cannot be assigned",
          "copy it into a variable first");
    return;
  }
  if (variable->alias) {
    if (value.isStatic || !(value.isNumber() || value.isRuntime()))
      return rebind(cx, *variable, value, at);
    if (isObject(variable->value) && isObject(value)) {
      error(cx, at, Problem::StaticNameAssigned,
            "`" + variable->name + "` is an object already, and which one it is cannot change",
            "use another name; or choose its members before, as in `" + variable->name + " = " +
                value.type.structure->name + "(a if condition else b)`");
      return;
    }
    error(cx, at, Problem::StaticNameAssigned,
          "`" + variable->name + "` is bound at compile time and cannot be assigned at run time",
          "use another name for the run-time value");
    return;
  }
  warnLossy(cx, value, variable->value, at);
  variable->known.reset();
  if ((cx.topLevel || cx.underKnownIf) && value.isNumber() &&
      variable->value.kind == Value::Scalar) {
    ExprRef e = convert(cx, value, variable->value.expr->type, at);
    if (e && staysExpression(*e))
      variable->known = Value::scalar(e);
  }
  assignLeaves(cx, variable->value, value, variable, at);
}

} // namespace sextant::sema
