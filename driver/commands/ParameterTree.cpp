#include "driver/commands/ParameterTree.h"

#include <algorithm>

namespace sextant::header {
namespace {

/// An argument, and what is left of its name.
struct Rest {
  size_t argument;
  std::string_view name;
};

std::vector<Parameter> group(const std::vector<Rest> &rests, const std::string &path,
                             std::set<std::string> &taken, std::set<std::string> &types) {
  std::vector<Parameter> parameters;
  std::vector<bool> isDone(rests.size());
  for (size_t first = 0; first < rests.size(); ++first) {
    if (isDone[first])
      continue;
    const std::string_view whole = rests[first].name;
    const size_t dot = whole.find('.');
    const std::string head(whole.substr(0, dot));
    Parameter parameter{identifier(head, taken), rests[first].argument, {}, {}};
    if (dot != std::string_view::npos) {
      std::vector<Rest> inner;
      for (size_t other = first; other < rests.size(); ++other)
        if (rests[other].name.starts_with(head + ".")) {
          isDone[other] = true;
          inner.push_back({rests[other].argument, rests[other].name.substr(dot + 1)});
        }
      std::set<std::string> own;
      const std::string inside = path + parameter.name + "_";
      parameter.members = group(inner, inside, own, types);
      parameter.type = identifier(inside + "type", types);
    }
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

} // namespace

std::vector<Parameter> parameterTree(const std::vector<module::Argument> &arguments,
                                     std::set<std::string> &taken) {
  std::vector<Rest> rests;
  for (size_t k = 0; k < arguments.size(); ++k)
    rests.push_back({k, arguments[k].name});
  std::set<std::string> types;
  return group(rests, "", taken, types);
}

} // namespace sextant::header
