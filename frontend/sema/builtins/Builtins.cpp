// The table of all functions that sema itself knows, made of Operations.def. What their parameters
// take is tested by Operands.cpp.
#include "frontend/sema/builtins/Builtins.h"
#include "frontend/sema/builtins/Shared.h"

#include <charconv>

namespace sextant::sema {

namespace {

using hir::BarrierReduceKind;
using hir::Combine;
using hir::FenceScope;
using hir::ShuffleKind;
using hir::UnaryOp;

// Handlers are plain functions; each row's call gives them what sets it apart.
#define CALL(HANDLER) [](Context &cx, CallSite &site) -> Value { return HANDLER; }

const Builtin builtins[] = {
#define OP(NAME, PARAMETERS, HANDLER, DOC)                                                         \
  {.name = NAME, .parameters = PARAMETERS, .handler = CALL(HANDLER)},
#define LAZY(NAME, PARAMETERS, HANDLER, DOC)                                                       \
  {.name = NAME, .parameters = PARAMETERS, .handler = CALL(HANDLER), .isLazy = true},
#define DEVICE(NAME, PARAMETERS, HANDLER, DOC)                                                     \
  {.name = NAME, .parameters = PARAMETERS, .handler = CALL(HANDLER), .isOnDevice = true},
#define OWN(NAME, PARAMETERS, HANDLER) DEVICE(NAME, PARAMETERS, HANDLER, "")
#define METHOD(NAME, PARAMETERS, HANDLER, DOC)                                                     \
  {.name = "qd." NAME, .parameters = PARAMETERS, .handler = CALL(HANDLER), .isMethod = true},
#define MEMBER(NAME, PARAMETERS, HANDLER)                                                          \
  {.name = "." NAME, .parameters = PARAMETERS, .handler = CALL(HANDLER), .isMethod = true},
#define OLD(NAME, CURRENT) {.name = NAME, .parameters = "", .isOnDevice = true, .current = CURRENT},
#include "frontend/sema/builtins/Operations.def"
};

#undef CALL

} // namespace

const Builtin *findBuiltin(std::string_view name) {
  for (const Builtin &builtin : builtins)
    if (name == builtin.name)
      return &builtin;
  return nullptr;
}

std::vector<std::string_view> namesOf(const std::vector<Parameter> &parameters) {
  std::vector<std::string_view> names;
  for (const Parameter &parameter : parameters)
    names.push_back(parameter.name);
  return names;
}

const Builtin *vectorMethod(std::string_view name) {
  for (const Builtin &builtin : builtins)
    if (builtin.isMethod && methodName(builtin) == name)
      return &builtin;
  return nullptr;
}

std::string_view methodName(const Builtin &builtin) {
  const std::string_view name = builtin.name;
  return name.substr(name.find('.') + 1);
}

std::vector<std::string_view> methodNames(bool isNumber) {
  std::vector<std::string_view> names;
  for (const Builtin &builtin : builtins)
    if (builtin.isMethod && (!isNumber || parametersOf(builtin)[0].takes == "numbers"))
      names.push_back(methodName(builtin));
  return names;
}

std::vector<std::string_view> builtinNames(std::string_view prefix) {
  std::vector<std::string_view> names;
  for (const Builtin &builtin : builtins) {
    std::string_view name = builtin.name;
    if (prefix.empty())
      name.remove_prefix(name.rfind('.') + 1);
    else if (name.starts_with(prefix))
      name.remove_prefix(prefix.size());
    else
      continue;
    if (name.find('.') == name.npos)
      names.push_back(name);
  }
  return names;
}

std::vector<Parameter> parametersOf(const Builtin &builtin) {
  std::vector<Parameter> parameters;
  std::string_view rest = builtin.parameters;
  while (!rest.empty()) {
    const size_t comma = rest.find(", ");
    const std::string_view one = rest.substr(0, comma);
    const size_t colon = one.find(": ");
    Parameter parameter{one.substr(0, colon), one.substr(colon + 2)};
    if (const size_t space = parameter.takes.find(' '); space != std::string_view::npos) {
      const std::string_view range = parameter.takes.substr(space + 1);
      const size_t dots = range.find("..");
      std::from_chars(range.data(), range.data() + dots, parameter.least);
      std::from_chars(range.data() + dots + 2, range.data() + range.size(), parameter.most);
      parameter.takes = parameter.takes.substr(0, space);
    }
    if (parameter.name.back() == '?') {
      parameter.isOptional = true;
      parameter.name.remove_suffix(1);
    }
    parameters.push_back(parameter);
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 2);
  }
  return parameters;
}

} // namespace sextant::sema
