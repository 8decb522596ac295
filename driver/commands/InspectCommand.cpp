// `sextant inspect`: shows what a module holds, and where its bytes are.
#include "driver/commands/Budget.h"
#include "driver/commands/Commands.h"
#include "driver/commands/Messages.h"
#include "driver/commands/ModuleFile.h"
#include "driver/commands/OneOf.h"
#include "packager/Describe.h"
#include "packager/Sizes.h"

#include <CLI/CLI.hpp>

namespace sextant {
namespace {

struct InspectOptions {
  std::string module;
  bool json = false, size = false;
  size_t top = 20;
  Budget budget;
};

int inspectCommand(const InspectOptions &options, Environment &environment) {
  const module::Reader reader = openModule(environment, options.module);
  if (!options.size)
    environment.out << require(options.json ? packager::describeJson(reader)
                                            : packager::describeText(reader));
  const std::string file = readFile(environment, options.module);
  const std::span<const std::byte> bytes = std::as_bytes(std::span(file));
  if (options.size) {
    const packager::Sizes sizes = require(packager::sizesOf(bytes, readerLimits(environment)));
    environment.out << (options.json ? packager::sizesJson(sizes, options.top)
                                     : packager::sizesText(sizes, options.top));
  }
  if (const std::string note = checkBudget(options.budget, options.module, bytes); !note.empty())
    sayNote(environment, note);
  return 0;
}

} // namespace

void addInspectCommand(CLI::App &app, Environment &environment, Actions &actions) {
  auto options = std::make_shared<InspectOptions>();
  CLI::App *inspect = app.add_subcommand("inspect", "Show a module's kernels and variants");
  inspect->add_option("module", options->module, "the module (.sxt)")->required();
  inspect->add_flag("--json", options->json, "everything, as one JSON object");
  inspect->add_flag("--size", options->size,
                    "where the bytes are: by part, kernel, target and section");
  inspect->add_option("--top", options->top, "rows of each table of sizes; default: 20")
      ->check(wholeNumber("--top", 0));
  addBudgetOptions(*inspect, options->budget);
  actions[inspect] = [options, &environment] {
    return reading(options->module, [&] { return inspectCommand(*options, environment); });
  };
}

} // namespace sextant
