#include "driver/commands/OneOf.h"

#include "frontend/spelling/Suggestion.h"
#include "frontend/spelling/Texts.h"

#include <algorithm>

namespace sextant {

CLI::Validator oneOf(const std::vector<std::string> &names) {
  const auto check = [names](const std::string &text) -> std::string {
    if (std::find(names.begin(), names.end(), text) != names.end())
      return {};
    const std::string near = suggestion(text, names);
    return "'" + text + "' is not one of " + joined(names, ", ") +
           (near.empty() ? "" : "; " + near);
  };
  return {check, "{" + joined(names, ",") + "}"}; // completions read it
}

} // namespace sextant
