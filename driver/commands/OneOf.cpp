#include "driver/commands/OneOf.h"

#include "driver/Environment.h"
#include "frontend/spelling/Texts.h"

#include <algorithm>
#include <charconv>

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

CLI::Validator wholeNumber(const std::string &option, uint32_t least, uint32_t most) {
  const auto check = [=](const std::string &text) -> std::string {
    uint32_t number = 0;
    const char *const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, number);
    if (error != std::errc() || end != last || number < least || number > most)
      throw Refusal(Problem::OptionValueWrong,
                    option + ": '" + text + "' is not a whole number from " +
                        std::to_string(least) + " to " + std::to_string(most));
    return {};
  };
  return {check, ""};
}

} // namespace sextant
