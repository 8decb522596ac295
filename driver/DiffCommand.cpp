// `sextant diff`: what differs between two modules.
#include "driver/Commands.h"
#include "driver/ModuleFile.h"
#include "packager/Describe.h"

#include <CLI/CLI.hpp>

namespace sextant {

void addDiffCommand(CLI::App &app, Environment &environment, Action &action) {
  struct Options {
    std::string before, after;
  };
  auto options = std::make_shared<Options>();
  CLI::App *diff = app.add_subcommand(
      "diff", "Show what differs between two modules; exit status 1 where anything does");
  diff->add_option("before", options->before, "a module (.sxt)")->required();
  diff->add_option("after", options->after, "another")->required();
  diff->callback([options, &environment, &action] {
    action = [options, &environment] {
      const module::Reader before = openModule(environment, options->before);
      const module::Reader after = openModule(environment, options->after);
      const std::vector<std::string> lines = require(packager::diff(before, after));
      for (const std::string &line : lines)
        environment.out << line << "\n";
      return lines.empty() ? 0 : 1;
    };
  });
}

} // namespace sextant
