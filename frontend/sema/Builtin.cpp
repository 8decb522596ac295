// Looks functions of the language up, and reads what their rows say of parameters.
#include "frontend/sema/Builtin.h"

#include <charconv>

namespace sextant::sema {

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
      const char *const begin = range.data(), *const end = begin + range.size();
      std::from_chars(begin, begin + dots, parameter.least);
      std::from_chars(begin + dots + 2, end, parameter.most);
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

std::vector<std::string_view> namesOf(const std::vector<Parameter> &parameters) {
  std::vector<std::string_view> names;
  for (const Parameter &parameter : parameters)
    names.push_back(parameter.name);
  return names;
}

std::string_view methodName(const Builtin &builtin) {
  const std::string_view name = builtin.name;
  return name.substr(name.find('.') + 1);
}

const Builtin *BuiltinTable::find(std::string_view name) const {
  for (const Builtin &builtin : rows)
    if (name == builtin.name)
      return &builtin;
  return nullptr;
}

const Builtin *BuiltinTable::method(std::string_view name) const {
  for (const Builtin &builtin : rows)
    if (builtin.isMethod && methodName(builtin) == name)
      return &builtin;
  return nullptr;
}

std::vector<std::string_view> BuiltinTable::methodNames(bool isNumber) const {
  std::vector<std::string_view> names;
  for (const Builtin &builtin : rows)
    if (builtin.isMethod && (!isNumber || parametersOf(builtin)[0].takes == "numbers"))
      names.push_back(methodName(builtin));
  return names;
}

std::vector<std::string_view> BuiltinTable::names(std::string_view prefix) const {
  std::vector<std::string_view> names;
  for (const Builtin &builtin : rows) {
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

} // namespace sextant::sema
