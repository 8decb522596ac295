// The subcommands. Each adds its options to the command line, and its action. Each has a file of
// its own, and a row in Commands.def.
#pragma once

#include "driver/Environment.h"

#include <CLI/App.hpp>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace sextant {

/// The action of each subcommand, if the command line chooses it. It returns the exit status.
using Actions = std::map<const CLI::App *, std::function<int()>>;

#define COMMAND(NAME, WORD, GROUP, EXAMPLES)                                                       \
  void add##NAME##Command(CLI::App &app, Environment &environment, Actions &actions);
#include "driver/commands/Commands.def"
#undef COMMAND

/// Runs `sextant compile` with these arguments, for commands that end with it.
int compileWith(const std::vector<std::string> &arguments, Environment &environment);

} // namespace sextant
