// Files of arguments.
#pragma once

#include "driver/Environment.h"

#include <string>
#include <vector>

namespace sextant {

/// Replaces each `@FILE` before `--` by the arguments in that file. Throws Refusal.
std::vector<std::string> expandFiles(const std::vector<std::string> &arguments,
                                     const Environment &environment);

} // namespace sextant
