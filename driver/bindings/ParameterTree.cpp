#include "driver/bindings/ParameterTree.h"

#include <algorithm>
#include <map>

namespace sextant::header {
namespace {

/// An argument, and what is left of its name.
struct Rest {
  size_t argument;
  std::string_view name;
};

/// True for names that become members: modules from elsewhere may hold any text.
bool isPath(std::string_view name) {
  constexpr auto mostParts = 32;
  return std::count(name.begin(), name.end(), '.') < mostParts && !name.starts_with('.') &&
         !name.ends_with('.') && name.find("..") == std::string_view::npos;
}

std::vector<Parameter> group(const std::vector<Rest> &rests, const std::string &path,
                             std::set<std::string> &taken, std::set<std::string> &types,
                             Naming naming) {
  std::vector<Parameter> parameters;
  std::vector<std::vector<Rest>> members;        // each parameter's; empty: an argument
  std::map<std::string_view, size_t> structures; // parameters by name
  std::set<std::string_view> whole;              // arguments that are not members
  for (const Rest &rest : rests) {
    size_t dot = isPath(rest.name) ? rest.name.find('.') : std::string_view::npos;
    std::string_view head = rest.name.substr(0, dot);
    std::string joined; // the gradient of an argument, `x.grad`, is not a member: `x_grad`
    if (dot != std::string_view::npos && whole.contains(head)) {
      joined = rest.name;
      std::replace(joined.begin(), joined.end(), '.', '_');
      dot = std::string_view::npos, head = joined;
    } else if (dot == std::string_view::npos) {
      whole.insert(head);
    }
    auto known = structures.find(head);
    if (dot == std::string_view::npos || known == structures.end()) {
      parameters.push_back({naming(std::string(head), taken), rest.argument, {}, {}});
      members.emplace_back();
      if (dot != std::string_view::npos)
        known = structures.emplace(head, parameters.size() - 1).first;
    }
    if (dot != std::string_view::npos)
      members[known->second].push_back({rest.argument, rest.name.substr(dot + 1)});
  }
  for (size_t k = 0; k < parameters.size(); ++k)
    if (!members[k].empty()) {
      std::set<std::string> own;
      const std::string inside = path + parameters[k].name + "_";
      parameters[k].members = group(members[k], inside, own, types, naming);
      parameters[k].type = naming(inside + "type", types);
    }
  return parameters;
}

} // namespace

std::vector<Parameter> parameterTree(const std::vector<module::Argument> &arguments,
                                     std::set<std::string> &taken, Naming naming) {
  std::vector<Rest> rests;
  for (size_t k = 0; k < arguments.size(); ++k)
    rests.push_back({k, arguments[k].name});
  std::set<std::string> types;
  return group(rests, "", taken, types, naming);
}

} // namespace sextant::header
