// The command line before the parser sees it.
#pragma once

#include "driver/Environment.h"

#include <string>
#include <vector>

namespace sextant {

/// Puts the arguments that a file holds in the place of each `@FILE`; `help` and compilers' ways
/// to write options become what the parser knows. Throws Refusal.
std::vector<std::string> prepareArguments(const std::vector<std::string> &arguments,
                                          const Environment &environment);

} // namespace sextant
