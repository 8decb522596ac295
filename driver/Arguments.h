// Prepares the command line for the parser.
#pragma once

#include "driver/Environment.h"

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace sextant {

/// Replaces each `@FILE` by the arguments in that file. Rewrites `help` and compilers' forms of
/// options to those that the parser knows. Throws Refusal.
std::vector<std::string> prepareArguments(const std::vector<std::string> &arguments,
                                          const Environment &environment);

/// Throws Refusal if an argument of the command, or the value of one of its options, is empty. The
/// parser takes the next argument for an empty value.
/// \param arguments those after the command's name
void refuseEmpty(const CLI::App &command, const std::vector<std::string> &arguments);

} // namespace sextant
