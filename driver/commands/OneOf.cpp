#include "driver/commands/OneOf.h"

#include "driver/Environment.h"
#include "frontend/spelling/Texts.h"

#include <algorithm>

namespace sextant {

CLI::Validator oneOf(const std::string &option, const std::vector<std::string> &names,
                     const std::vector<std::string> &likely) {
  const auto check = [=](const std::string &text) -> std::string {
    if (std::find(names.begin(), names.end(), text) == names.end())
      throw Misspelling(Problem::OptionValueWrong,
                        (option.empty() ? "'" : option + ": '") + text + "' is not one of " +
                            joined(names, ", "),
                        option, text, likely.empty() ? names : likely);
    return {};
  };
  return {check, "{" + joined(names, ",") + "}"}; // completions read it
}

} // namespace sextant
