// `sextant verify`: checks every record and image of modules.
#include "driver/Commands.h"
#include "driver/ModuleFile.h"

#include <CLI/CLI.hpp>

namespace sextant {

void addVerifyCommand(CLI::App &app, Environment &environment, Action &action) {
  auto modules = std::make_shared<std::vector<std::string>>();
  CLI::App *verify = app.add_subcommand("verify", "Check modules for damage");
  verify->add_option("modules", *modules, "the modules (.sxt)")->required();
  verify->callback([modules, &environment, &action] {
    action = [modules, &environment] {
      int status = 0;
      for (const std::string &path : *modules) {
        module::Status result = openModule(environment, path).verify();
        if (result.ok()) {
          environment.out << path << ": good\n";
        } else {
          environment.err << "sextant: error: " << path << ": " << result.message << "\n";
          status = 1;
        }
      }
      return status;
    };
  });
}

} // namespace sextant
