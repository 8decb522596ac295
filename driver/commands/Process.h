// Other programs that a command runs.
#pragma once

#include "driver/Environment.h"

#include <string>
#include <vector>

namespace sextant {

/// Runs a program that is found in PATH, with this process's streams, in the environment's folder,
/// and waits for it. Returns its exit status, or 128 and the number of the signal that ended it.
/// Throws Refusal if it cannot be started. \param unusable what is wrong then
int runProcess(const Environment &environment, const std::vector<std::string> &arguments,
               Problem unusable);

} // namespace sextant
