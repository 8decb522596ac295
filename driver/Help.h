// Help shows these besides the options: groups of commands, examples, and the options' names for
// people.
#pragma once

#include <CLI/App.hpp>

namespace sextant {

/// Sorts the commands of `app` into groups and gives each its examples.
void addHelp(CLI::App &app);

/// "usage: sextant diff [OPTIONS] BEFORE AFTER"
std::string usageOf(const CLI::App &command);

} // namespace sextant
