// The command line as a whole: subcommands, help, and how errors leave.
#include "driver/Driver.h"

#include "driver/Commands.h"
#include "driver/Version.h"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace sextant {
namespace {

/// The command-line library knows one-letter options and `--name`; compilers'
/// `-MD`, `-MF file` and options with an optional `=value` are rewritten for it.
std::vector<std::string> normalize(std::vector<std::string> arguments) {
  for (std::string &argument : arguments) {
    if (argument == "--")
      break;
    if (argument == "-MD")
      argument = "--depfile-beside";
    else if (argument == "-MF")
      argument = "--depfile";
    else if (argument.starts_with("-MF"))
      argument = "--depfile=" + argument.substr(3);
    else if (argument == "--dump-ir")
      argument = "--dump-ir=all";
    else if (argument == "--save-temps")
      argument = "--save-temps-beside";
    else if (argument == "--emit-header")
      argument = "--emit-header-beside";
  }
  return arguments;
}

void printRefusal(const Refusal &refusal, std::ostream &err) {
  err << "sextant: error: " << refusal.what() << "\n";
  if (!refusal.fix.empty())
    err << "  help: " << refusal.fix << "\n";
}

/// A word in a command's place that is none.
void checkCommand(const CLI::App &app, const std::vector<std::string> &arguments) {
  if (arguments.empty() || arguments.front().starts_with("-"))
    return;
  std::vector<std::string> names;
  for (const CLI::App *command : app.get_subcommands(nullptr))
    names.push_back(command->get_name());
  if (std::find(names.begin(), names.end(), arguments.front()) != names.end())
    return;
  const std::string near = suggestion(arguments.front(), names);
  throw Refusal("there is no command '" + arguments.front() + "'",
                near.empty() ? "`sextant --help` lists them" : near);
}

} // namespace

int runDriver(std::vector<std::string> arguments, Environment &environment) {
  CLI::App app{"Ahead-of-time GPU and CPU kernels in one module", "sextant"};
  app.set_version_flag("--version", std::string("sextant ") + compilerVersion());
  app.require_subcommand(1);
  Action action;
  addCompileCommand(app, environment, action);
  addInspectCommand(app, environment, action);
  addExplainCommand(app, environment, action);
  addDisasmCommand(app, environment, action);
  addExtractCommand(app, environment, action);
  addVerifyCommand(app, environment, action);
  addSignCommand(app, environment, action);
  addKeygenCommand(app, environment, action);
  addDiffCommand(app, environment, action);
  addMergeCommand(app, environment, action);
  addThinCommand(app, environment, action);
  addRunCommand(app, environment, action);
  addBenchCommand(app, environment, action);
  addCacheCommand(app, environment, action);
  addTargetsCommand(app, environment, action);
  addDevicesCommand(app, environment, action);

  app.failure_message([](const CLI::App *, const CLI::Error &error) {
    return std::string("sextant: error: ") + error.what() +
           "\n  help: --help lists commands and options\n";
  });
  try {
    checkCommand(app, arguments);
    std::vector<std::string> reversed = normalize(std::move(arguments));
    std::reverse(reversed.begin(), reversed.end());
    app.parse(std::move(reversed));
    return action();
  } catch (const CLI::ParseError &error) {
    return app.exit(error, environment.out, environment.err) == 0 ? 0 : 1;
  } catch (const Refusal &refusal) {
    printRefusal(refusal, environment.err);
    return 1;
  } catch (const std::exception &error) {
    environment.err << "sextant: internal error: " << error.what() << "\n";
    return 2;
  }
}

} // namespace sextant
