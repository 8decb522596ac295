// The subcommands. Each adds its options to the command line, and sets `action` when the command
// line chooses it. Each has a file of its own.
#pragma once

#include "driver/Environment.h"

#include <CLI/App.hpp>
#include <functional>
#include <string>
#include <vector>

namespace sextant {

/// The action of the chosen subcommand. It returns the exit status.
using Action = std::function<int()>;

void addCompileCommand(CLI::App &app, Environment &environment, Action &action);
void addFreezeCommand(CLI::App &app, Environment &environment, Action &action);
void addCacheCommand(CLI::App &app, Environment &environment, Action &action);
void addInspectCommand(CLI::App &app, Environment &environment, Action &action);
void addExplainCommand(CLI::App &app, Environment &environment, Action &action);
void addDisasmCommand(CLI::App &app, Environment &environment, Action &action);
void addExtractCommand(CLI::App &app, Environment &environment, Action &action);
void addVerifyCommand(CLI::App &app, Environment &environment, Action &action);
void addSignCommand(CLI::App &app, Environment &environment, Action &action);
void addKeygenCommand(CLI::App &app, Environment &environment, Action &action);
void addDiffCommand(CLI::App &app, Environment &environment, Action &action);
void addMergeCommand(CLI::App &app, Environment &environment, Action &action);
void addRunCommand(CLI::App &app, Environment &environment, Action &action);
void addBenchCommand(CLI::App &app, Environment &environment, Action &action);
void addTuneCommand(CLI::App &app, Environment &environment, Action &action);
void addThinCommand(CLI::App &app, Environment &environment, Action &action);
void addWheelCommand(CLI::App &app, Environment &environment, Action &action);
void addTargetsCommand(CLI::App &app, Environment &environment, Action &action);
void addDevicesCommand(CLI::App &app, Environment &environment, Action &action);
void addMessageCommand(CLI::App &app, Environment &environment, Action &action);

/// Runs `sextant compile` with these arguments, for commands that end with it.
int compileWith(const std::vector<std::string> &arguments, Environment &environment);

} // namespace sextant
