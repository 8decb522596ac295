// Reads calls of kernels in host code. Constants, literals and fields of the module have values
// when kernels are built. What a function of the host binds, and what changes, does not.
#include "frontend/sema/HostCalls.h"
#include "frontend/sema/Instantiate.h"
#include "frontend/sema/Requests.h"
#include "frontend/sema/eval/Names.h"
#include "frontend/syntax/Children.h"

#include <algorithm>

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
    if (std::holds_alternative<ast::Starred>(call.args[k]->node))
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
