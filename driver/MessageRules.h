// How a command prints messages: `--color`, `-q`, `-W…` and `--diagnostics`.
#pragma once

#include "frontend/problems/Problems.h"

#include <map>
#include <optional>

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
  std::map<Warning, Rule> warnings;
  bool warningsAreErrors = false; ///< `-Werror`
  /// A kernel that is not built does no harm: a tolerated error is Warning::LeftKernel.
  bool leavesKernels = false;
};

} // namespace sextant
