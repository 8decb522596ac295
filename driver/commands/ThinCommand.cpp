// `sextant thin`: writes a module without some of its kernels and targets.
#include "driver/commands/Budget.h"
#include "driver/commands/Commands.h"
#include "driver/commands/CompressOption.h"
#include "driver/commands/ModuleFile.h"
#include "driver/commands/OneOf.h"
#include "packager/Thin.h"
#include "packager/Tuning.h"

#include <CLI/CLI.hpp>
#include <thread>

namespace sextant {
namespace {

struct ThinCommandOptions {
  std::string module, output;
  std::vector<std::string> keep, drop;
  bool losers = false;
  packager::ThinOptions thin;
  packager::BuildOptions build;
  Budget budget;
};

/// Returns the module's measurements. Throws Refusal if there are none.
std::vector<packager::Measurement> someMeasurements(const packager::Contents &contents) {
  std::vector<packager::Measurement> measured =
      require(packager::measurementsOf(contents), Problem::MeasurementsMissing);
  if (measured.empty())
    throw Refusal(Problem::MeasurementsMissing,
                  "nothing in the module was measured, so no variant has lost; run `sextant tune` "
                  "first");
  return measured;
}

int thinCommand(ThinCommandOptions options, Environment &environment) {
  if (options.keep.empty() && options.drop.empty() && !options.losers)
    throw Refusal(Problem::OptionMissing, "nothing says what to leave out",
                  "pass --keep, --drop or --losers");
  checkOutput(environment, options.output, {options.module});
  options.thin.keep = require(packager::parsePatterns(options.keep), Problem::OptionValueWrong);
  options.thin.drop = require(packager::parsePatterns(options.drop), Problem::OptionValueWrong);
  packager::Contents contents = readModule(environment, options.module);
  if (options.losers)
    options.thin.measured = someMeasurements(contents);
  module::Result<packager::Contents> left = packager::thin(std::move(contents), options.thin);
  const bool isOfPattern = !left && left.error().code == module::Code::NotFound;
  packager::Contents thinned = require(std::move(left), isOfPattern ? Problem::VariantNotInModule
                                                                    : Problem::KernelWithoutCode);
  const std::vector<std::byte> bytes =
      buildModule(environment, options.output, std::move(thinned), options.build, options.budget);
  writeFile(environment, options.output,
            {reinterpret_cast<const char *>(bytes.data()), bytes.size()});
  return 0;
}

} // namespace

void addThinCommand(CLI::App &app, Environment &environment, Actions &actions) {
  auto options = std::make_shared<ThinCommandOptions>();
  options->build.jobs = std::max(1u, std::thread::hardware_concurrency());
  CLI::App *thin = app.add_subcommand("thin", "Leave kernels and targets of a module out");
  thin->add_option("module", options->module, "the module (.sxt)")->required();
  thin->add_option("-o,--output", options->output, "the module to write")->required();
  thin->add_option("--keep", options->keep,
                   "what stays, repeatable: cuda, 'amdgpu:gfx11*/wave32', 'scan*@cuda', "
                   "'kernel:scan*'; default: everything");
  thin->add_option("--drop", options->drop, "what goes, written as for --keep; wins over it");
  thin->add_flag("--losers", options->losers,
                 "drop variants by --tune that were the fastest on no device which `sextant tune` "
                 "has measured");
  thin->add_flag("--allow-empty-kernels", options->thin.allowEmptyKernels,
                 "keep kernels that lose their last variant");
  thin->add_flag("--forget", options->thin.forget,
                 "do not record what was dropped; without it `explain` can tell");
  thin->add_option("-j,--jobs", options->build.jobs, "worker threads; default: all cores")
      ->check(wholeNumber("--jobs", 1, 1024));
  addCompressOption(*thin, options->build.compression);
  addBudgetOptions(*thin, options->budget);
  actions[thin] = [options, &environment] { return thinCommand(*options, environment); };
}

} // namespace sextant
