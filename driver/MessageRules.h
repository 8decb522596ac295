// How a command prints messages: `--color`, `-q`, `-W…` and `--diagnostics`.
#pragma once

#include <map>
#include <optional>
#include <string>

namespace sextant {

struct MessageRules {
  bool color = false;
  bool quiet = false; ///< no warnings, notes and progress
  bool json = false;  ///< one object a line instead of text

  /// The rule of `-WNAME`, `-Wno-NAME`, `-Werror=NAME` and `-Wno-error=NAME` for one warning.
  struct Rule {
    bool enabled = true;
    std::optional<bool> isError; ///< absent: `-Werror` decides
  };
  std::map<std::string, Rule> warnings; ///< by name
  bool warningsAreErrors = false;       ///< `-Werror`
};

} // namespace sextant
