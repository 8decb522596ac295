// Help shows these besides the options: groups of commands, examples, and the options' names for
// people.
#pragma once

#include <CLI/App.hpp>

namespace sextant {

/// Sorts the commands of `app` into groups and gives each its examples.
void addHelp(CLI::App &app);

/// "sextant diff", or "sextant" of the program itself
std::string titleOf(const CLI::App &command);
/// "usage: sextant diff [OPTIONS] BEFORE AFTER; `sextant help diff` says more"
std::string hintOf(const CLI::App &command);

} // namespace sextant
