// Prepares the command line for the parser.
#pragma once

#include "driver/Environment.h"

#include <string>
#include <vector>

namespace sextant {

/// Replaces each `@FILE` by the arguments in that file. Rewrites `help` and compilers' forms of
/// options to those that the parser knows. Throws Refusal.
std::vector<std::string> prepareArguments(const std::vector<std::string> &arguments,
                                          const Environment &environment);

} // namespace sextant
