// The `sextant` command, as a function of its arguments and its environment.
#pragma once

#include "driver/Environment.h"

#include <string>
#include <vector>

namespace sextant {

/// Runs the command line (without the program's name). Returns the exit status: 0 if it succeeded,
/// 1 if it was refused with diagnostics on the error stream. Anything else is a bug of ours.
int runDriver(const std::vector<std::string> &arguments, Environment &environment);

} // namespace sextant
