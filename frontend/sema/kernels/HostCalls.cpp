// Reads calls of kernels in host code. Constants, literals and fields of the module have values
// when kernels are built. What a function of the host binds, and what changes, does not.
#include "frontend/sema/kernels/HostCalls.h"
#include "frontend/sema/eval/Classes.h"
#include "frontend/sema/eval/Host.h"
#include "frontend/sema/eval/Names.h"
#include "frontend/sema/kernels/Requests.h"
#include "frontend/syntax/Children.h"

#include <algorithm>
#include <charconv>

namespace sextant::sema {

static bool mentions(const ast::Expr &expr, const std::vector<std::string_view> &names) {
  if (auto *name = std::get_if<ast::Name>(&expr.node))
    return std::ranges::find(names, name->id) != names.end();
  bool found = false;
  forEachChild(expr, [&](const ast::Expr &child) { found |= mentions(child, names); });
  return found;
}

/// The argument that a call gives a parameter; null if it gives none, or unpacks some.
static const ast::Expr *argumentOf(const ast::Call &call, const ast::FunctionDef &kernel,
                                   const ast::Parameter &parameter) {
  for (const ast::Keyword &keyword : call.keywords)
    if (keyword.name == parameter.name)
      return keyword.value.get();
  const auto position = size_t(&parameter - kernel.parameters.data());
  for (size_t k = 0; k < call.args.size() && k <= position; ++k)
    if (ast::isStarred(call.args[k]))
      return nullptr;
  return position < call.args.size() ? call.args[position].get() : nullptr;
}

static std::string textAt(const SourceRange &at) {
  return std::string(at.file->text().substr(at.begin, at.end - at.begin));
}

static Value knownValue(Context &host, const ast::Expr &expr,
                        const std::vector<std::string_view> &bound) {
  if (mentions(expr, bound))
    return Value();
  const Quietly quiet(host); // any Python may stand there
  Value value = evalHost(host, expr, *host.program.main);
  const bool isField = value.kind == Value::Array && value.array->space == ArrayRef::Field;
  const bool isConstant = value.isExact() || value.kind == Value::Str || value.kind == Value::Type;
  return isField || isConstant ? value : Value();
}

std::vector<HostInstance> hostInstances(Context &host, const ast::FunctionDef &kernel,
                                        const std::vector<const ast::Parameter *> &open) {
  std::vector<HostInstance> all;
  for (const ast::HostCall &each : host.program.main->ast->hostCalls) {
    const auto &call = std::get<ast::Call>(each.call->node);
    if (std::get<ast::Name>(call.callee->node).id != kernel.name)
      continue;
    HostInstance instance;
    instance.at = each.call->at;
    instance.name = kernel.name;
    for (const ast::Parameter *parameter : open) {
      const ast::Expr *argument = argumentOf(call, kernel, *parameter);
      Value value = argument ? knownValue(host, *argument, each.bound) : Value();
      instance.isKnown &= !value.isPoison();
      instance.request += (instance.request.empty() ? "" : ", ") + std::string(parameter->name) +
                          "=" + (value.isPoison() ? "..." : textAt(argument->at));
      Value named = value;
      if (value.kind == Value::Array)
        named = Value::str(value.array->name);
      if (const std::string part = nameOf(named); !part.empty())
        instance.name += "_" + part;
      instance.bound.emplace_back(parameter->name, std::move(value));
    }
    instance.request = std::string(kernel.name) + "[" + instance.request + "]";
    all.push_back(std::move(instance));
  }
  return all;
}

/// The object that a call makes; of the module's own statement, the one that its name has.
static Value objectOf(Context &host, const ast::HostObject &made) {
  ModuleScope &module = *host.program.main;
  const Quietly quiet(host); // any Python may stand there
  const auto definition = module.names.find(made.name);
  if (definition != module.names.end() && definition->second.kind == Definition::Expression &&
      definition->second.value->at.begin == made.call->at.begin)
    return hostName(host, module, made.name, made.call->at).value_or(Value());
  return evalHost(host, *made.call, module, made.bound);
}

std::vector<HostObject> hostObjects(Context &host) {
  std::vector<HostObject> all;
  for (const ast::HostObject &made : host.program.main->ast->hostObjects) {
    const std::set<std::string> before = std::exchange(host.program.reads, {});
    HostObject one{made.call->at, std::string(made.name), objectOf(host, made), {}};
    one.reads = std::exchange(host.program.reads, before);
    if (!isObject(one.object))
      continue;
    const StructType &type = *one.object.type.structure;
    if (one.name.empty())
      one.name = type.name;
    const auto same = std::ranges::find(all, one.name, &HostObject::name);
    if (same != all.end() && textAt(same->at) == textAt(one.at))
      continue; // the same program makes it at another place
    one.isOther = same != all.end();
    nameFields(one.object, type.at, one.name);
    all.push_back(std::move(one));
  }
  return all;
}

static std::string spellField(const ArrayRef &field) {
  const ElementType &element = field.element;
  if (field.structure || !field.first.empty())
    return "...";
  const std::string columns = element.vector ? "" : std::to_string(element.cols) + ", ";
  const std::string kind = !element.matrix
                               ? "field("
                               : (element.vector ? "Vector" : "Matrix") + std::string(".field(") +
                                     std::to_string(element.rows) + ", " + columns;
  std::string shape;
  for (const Value &extent : field.shape)
    shape += spell(extent.integer) + ",";
  return kind + std::string(hir::spell(element.type)) + ", (" + shape + ")" +
         (field.gradient ? ", needs_grad=True" : "") + (field.tangent ? ", needs_dual=True)" : ")");
}

/// A value as a request writes it, or `...`.
static std::string spellGiven(const Value &value) {
  switch (value.kind) {
  case Value::None:
    return "None";
  case Value::Bool:
    return value.integer ? "True" : "False";
  case Value::Int:
    return spell(value.integer);
  case Value::Float: {
    char digits[32];
    return std::string(digits, std::to_chars(digits, digits + sizeof digits, value.real).ptr);
  }
  case Value::Str:
    return "\"" + value.text + "\"";
  case Value::Array:
    return spellField(*value.array);
  case Value::Function:
    return std::string(value.function->name);
  case Value::Tuple: {
    std::string items;
    for (const Value &item : value.items)
      items += (items.empty() ? "" : ", ") + spellGiven(item);
    return "[" + items + "]";
  }
  case Value::Type:
    if (value.type.kind == TypeValue::Element && value.type.isItself)
      return "dtype(" + spell(value.type) + ")";
    if (value.type.kind == TypeValue::NdArray)
      return "ndarray(" +
             (value.type.structure ? value.type.structure->name : spell(value.type.element)) +
             ", " + std::to_string(value.type.ndim) + ")";
    [[fallthrough]];
  default:
    return isObject(value) ? value.type.structure->name : "...";
  }
}

std::string spellMembers(const Value &object, const std::string &path) {
  std::string text;
  for (size_t k = 0; k < object.items.size(); ++k) {
    const std::string member = path + "." + object.type.structure->members[k].name;
    text += (text.empty() ? "" : ", ") + member + "=" + spellGiven(object.items[k]);
    if (!isObject(object.items[k]))
      continue;
    if (const std::string inner = spellMembers(object.items[k], member); !inner.empty())
      text += ", " + inner;
  }
  return text;
}

std::vector<std::pair<std::string, Value>> fieldsOf(Context &host) {
  ModuleScope &module = *host.program.main;
  std::vector<std::pair<uint32_t, std::string>> names;
  for (const auto &[name, definition] : module.names)
    if (definition.kind == Definition::Expression)
      names.emplace_back(definition.at.begin, name);
  std::ranges::sort(names);
  std::vector<std::pair<std::string, Value>> fields;
  const Quietly quiet(host);
  for (const auto &[begin, name] : names)
    if (auto value = hostName(host, module, name, module.names.at(name).at);
        value && value->kind == Value::Array && value->array->space == ArrayRef::Field)
      fields.emplace_back(name, std::move(*value));
  return fields;
}

} // namespace sextant::sema
