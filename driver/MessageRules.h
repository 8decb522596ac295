// How a command speaks, as `--color`, `-q`, `-W…` and `--diagnostics` say.
#pragma once

#include <map>
#include <optional>
#include <string>

namespace sextant {

struct MessageRules {
  bool color = false;
  bool quiet = false; ///< no warnings, notes and progress
  bool json = false;  ///< one object a line instead of text

  /// What `-WNAME`, `-Wno-NAME`, `-Werror=NAME` and `-Wno-error=NAME` say of one warning.
  struct Rule {
    bool enabled = true;
    std::optional<bool> isError; ///< none: as `-Werror` has it
  };
  std::map<std::string, Rule> warnings; ///< by name
  bool warningsAreErrors = false;       ///< `-Werror`
};

} // namespace sextant
