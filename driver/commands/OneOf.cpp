#include "driver/commands/OneOf.h"

#include "frontend/spelling/Suggestion.h"

#include <algorithm>
#include <utility>

namespace sextant {

CLI::Validator oneOf(std::vector<std::string> names) {
  const auto check = [names = std::move(names)](const std::string &text) -> std::string {
    if (std::find(names.begin(), names.end(), text) != names.end())
      return {};
    std::string list;
    for (const std::string &name : names)
      list += (list.empty() ? "" : ", ") + name;
    const std::string near = suggestion(text, names);
    return "'" + text + "' is not one of " + list + (near.empty() ? "" : "; " + near);
  };
  return {check, ""};
}

} // namespace sextant
