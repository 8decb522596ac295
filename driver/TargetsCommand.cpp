// `sextant targets`: what this build can compile for.
#include "driver/Commands.h"
#include "driver/Targets.h"

#include <CLI/CLI.hpp>

namespace sextant {
namespace {

int targetsCommand(Environment &environment) {
  std::string waves, row;
  environment.out << "target                  waves\n";
  for (const ArchRow &arch : listArchs()) {
    row = arch.backend + ":" + arch.arch;
    row.resize(std::max<size_t>(row.size() + 1, 24), ' ');
    waves.clear();
    for (unsigned wave : arch.waves)
      waves += (waves.empty() ? "" : " ") + std::to_string(wave);
    for (unsigned wave : arch.extraWaves)
      waves += " (" + std::to_string(wave) + ")";
    waves.resize(std::max<size_t>(waves.size() + 1, 20), ' ');
    environment.out << row << waves << arch.description << (arch.major ? " (major)" : "")
                    << (arch.native ? " (this machine)" : "") << "\n";
  }
  environment.out << "\nWrite backend:arch[+feature…][/waveN], an architecture alone, a backend "
                     "(its major\narchitectures), native (this machine), all-major or all. The "
                     "first wave is the "
                     "default, one in\nparentheses has to be named: /all-waves leaves it out.\n";
  return 0;
}

} // namespace

void addTargetsCommand(CLI::App &app, Environment &environment, Action &action) {
  CLI::App *targets = app.add_subcommand("targets", "List what this build can compile for");
  targets->callback(
      [&environment, &action] { action = [&environment] { return targetsCommand(environment); }; });
}

} // namespace sextant
