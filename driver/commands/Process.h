// Other programs that a command runs.
#pragma once

#include "driver/Environment.h"

#include <string>
#include <vector>

namespace sextant {

/// Runs a program that is found in PATH, with this process's streams, in the environment's folder,
/// and waits for it. Returns its exit status, or 128 and the number of the signal that ended it.
/// Throws Problem::PythonUnusable if it cannot be started: so far all that run are Pythons.
int runProcess(const Environment &environment, const std::vector<std::string> &arguments);

} // namespace sextant
