// `sextant disasm`: shows the machine code of a kernel as text.
#include "driver/commands/Commands.h"
#include "driver/commands/KernelOption.h"
#include "driver/commands/ModuleFile.h"
#include "driver/compile/Targets.h"
#include "loader/format/Text.h"
#include "packager/Describe.h"

#include <CLI/CLI.hpp>

namespace sextant {

void addDisasmCommand(CLI::App &app, Environment &environment, Actions &actions) {
  struct Options {
    std::string module, kernel, target;
  };
  auto options = std::make_shared<Options>();
  CLI::App *disasm = app.add_subcommand("disasm", "Show a kernel's machine code");
  disasm->add_option("module", options->module, "the module (.sxt)")->required();
  addKernelOption(*disasm, options->kernel,
                  "the kernel or instance; may be left out if there is one");
  disasm->add_option("-t,--target", options->target,
                     "cuda:sm_90, x86-64-v3/wave8, …; may be left out if there is one");
  actions[disasm] = [options, &environment] {
    return reading(options->module, [&] {
      module::Reader reader = openModule(environment, options->module);
      packager::Extracted image =
          require(packager::extract(reader, instanceOf(reader, options->kernel), options->target),
                  Problem::VariantNotInModule);
      // PTX and Metal's text are shown as they are in the module.
      environment.out << module::printableLines(disassemble(image.bytes, image.target));
      return 0;
    });
  };
}

} // namespace sextant
