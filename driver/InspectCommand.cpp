// `sextant inspect`: what a module holds.
#include "driver/Commands.h"
#include "driver/ModuleFile.h"
#include "packager/Describe.h"

#include <CLI/CLI.hpp>

namespace sextant {

void addInspectCommand(CLI::App &app, Environment &environment, Action &action) {
  struct Options {
    std::string module;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App *inspect = app.add_subcommand("inspect", "Show a module's kernels and variants");
  inspect->add_option("module", options->module, "the module (.sxt)")->required();
  inspect->add_flag("--json", options->json, "everything, as one JSON object");
  inspect->callback([options, &environment, &action] {
    action = [options, &environment] {
      module::Reader reader = openModule(environment, options->module);
      environment.out << require(options->json ? packager::describeJson(reader)
                                               : packager::describeText(reader));
      return 0;
    };
  });
}

} // namespace sextant
