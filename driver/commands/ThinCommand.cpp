// `sextant thin`: writes a module without some of its kernels and targets.
#include "driver/commands/Commands.h"
#include "driver/commands/CompressOption.h"
#include "driver/commands/ModuleFile.h"
#include "packager/Thin.h"
#include "packager/Tuning.h"

#include <CLI/CLI.hpp>
#include <thread>

namespace sextant {
namespace {

struct ThinCommandOptions {
  std::string module, output;
  std::vector<std::string> keep, drop;
  packager::ThinOptions thin;
  packager::BuildOptions build;
  Budget budget;
};

packager::Contents thinned(const packager::Contents &contents,
                           const packager::ThinOptions &options) {
  if (options.losers &&
      require(packager::measurementsOf(contents), Problem::MeasurementsMissing).empty())
    throw Refusal(Problem::MeasurementsMissing,
                  "nothing in the module was measured, so no variant has lost; run `sextant tune` "
                  "first");
  module::Result<packager::Contents> left = packager::thin(contents, options);
  const bool isOfPattern = !left && left.error().code == module::Code::NotFound;
  return require(std::move(left),
                 isOfPattern ? Problem::VariantNotInModule : Problem::KernelWithoutCode);
}

int thinCommand(ThinCommandOptions options, Environment &environment) {
  if (options.keep.empty() && options.drop.empty() && !options.thin.losers)
    throw Refusal(Problem::OptionMissing, "nothing says what to leave out",
                  "pass --keep, --drop or --losers");
  checkOutput(environment, options.output, {options.module});
  options.thin.keep = require(packager::parsePatterns(options.keep), Problem::OptionValueWrong);
  options.thin.drop = require(packager::parsePatterns(options.drop), Problem::OptionValueWrong);
  const std::vector<std::byte> bytes = buildModule(
      environment, options.output, thinned(readModule(environment, options.module), options.thin),
      options.build, options.budget);
  writeFile(environment, options.output,
            {reinterpret_cast<const char *>(bytes.data()), bytes.size()});
  return 0;
}

} // namespace

void addThinCommand(CLI::App &app, Environment &environment, Action &action) {
  auto options = std::make_shared<ThinCommandOptions>();
  options->build.jobs = std::max(1u, std::thread::hardware_concurrency());
  CLI::App *thin = app.add_subcommand("thin", "Leave kernels and targets of a module out");
  thin->add_option("module", options->module, "the module (.sxt)")->required();
  thin->add_option("-o,--output", options->output, "the module to write")->required();
  thin->add_option("--keep", options->keep,
                   "what stays, repeatable: cuda, 'amdgpu:gfx11*/wave32', 'scan*@cuda', "
                   "'kernel:scan*'; default: everything")
      ->allow_extra_args(false);
  thin->add_option("--drop", options->drop, "what goes, written as for --keep; wins over it")
      ->allow_extra_args(false);
  thin->add_flag("--losers", options->thin.losers,
                 "drop variants by --tune that were the fastest on no device which `sextant tune` "
                 "has measured");
  thin->add_flag("--allow-empty-kernels", options->thin.allowEmptyKernels,
                 "keep kernels that lose their last variant");
  thin->add_flag("--forget", options->thin.forget,
                 "do not record what was dropped; without it `explain` can tell");
  thin->add_option("-j,--jobs", options->build.jobs, "worker threads; default: all cores")
      ->check(CLI::Range(1, 1024));
  addCompressOption(*thin, options->build.compression);
  addBudgetOptions(*thin, options->budget);
  thin->callback([options, &environment, &action] {
    action = [options, &environment] { return thinCommand(*options, environment); };
  });
}

} // namespace sextant
