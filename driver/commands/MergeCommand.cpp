// `sextant merge`: makes one module of modules that were compiled separately.
#include "driver/bindings/EmitHeader.h"
#include "driver/commands/Budget.h"
#include "driver/commands/Commands.h"
#include "driver/commands/CompressOption.h"
#include "driver/commands/ModuleFile.h"
#include "driver/commands/OneOf.h"
#include "driver/compile/Coverage.h"
#include "packager/Merge.h"

#include <CLI/CLI.hpp>
#include <thread>

namespace sextant {
namespace {

struct MergeCommandOptions {
  std::vector<std::string> modules;
  std::string output;
  packager::MergeOptions merge;
  packager::BuildOptions build;
  Budget budget;
  std::string header, embedSymbol;
  std::vector<std::string> targets;
  bool allowMissing = false;
};

int mergeCommand(const MergeCommandOptions &options, Environment &environment) {
  checkOutput(environment, options.output, options.modules);
  std::vector<packager::Shard> shards;
  for (const std::string &path : options.modules)
    shards.push_back({path, readModule(environment, path)});
  packager::Contents merged =
      require(packager::merge(std::move(shards), options.merge), Problem::ModuleNotBuildable);
  if (!options.targets.empty())
    checkCoverage(merged.kernels, options.targets, options.allowMissing);
  const std::vector<std::byte> bytes =
      buildModule(environment, options.output, std::move(merged), options.build, options.budget);
  if (!options.header.empty())
    writeFile(environment, options.header,
              emitHeader(bytes, options.header == "-" ? options.output : options.header,
                         options.embedSymbol));
  writeFile(environment, options.output,
            {reinterpret_cast<const char *>(bytes.data()), bytes.size()});
  return 0;
}

} // namespace

void addMergeCommand(CLI::App &app, Environment &environment, Actions &actions) {
  auto options = std::make_shared<MergeCommandOptions>();
  options->build.jobs = std::max(1u, std::thread::hardware_concurrency());
  CLI::App *merge =
      app.add_subcommand("merge", "Make one module of several that were compiled apart");
  merge->add_option("modules", options->modules, "the modules (.sxt), in any order")->required();
  merge->add_option("-o,--output", options->output, "the module to write")->required();
  merge->add_flag("--allow-mixed-compilers", options->merge.allowMixedCompilers,
                  "take modules of different compiler versions");
  merge->add_option("-t,--targets", options->targets,
                    "what the shards were built for, as `compile` was told: each item has to give "
                    "every kernel some code");
  merge->add_flag("--allow-missing", options->allowMissing,
                  "with --targets: a kernel needs code for one of them all");
  merge->add_option("--emit-header", options->header, "write a typed C++ header there");
  merge->add_option("--embed-symbol", options->embedSymbol,
                    "the header takes the module from this symbol, up to SYMBOL_end");
  merge->add_option("-j,--jobs", options->build.jobs, "worker threads; default: all cores")
      ->check(wholeNumber("--jobs", 1, 1024));
  addCompressOption(*merge, options->build.compression);
  addBudgetOptions(*merge, options->budget);
  actions[merge] = [options, &environment] { return mergeCommand(*options, environment); };
}

} // namespace sextant
