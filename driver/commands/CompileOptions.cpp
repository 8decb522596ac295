// Declares every option of `sextant compile`, and the member that it sets.
#include "driver/commands/CompileOptions.h"

#include "driver/commands/CompressOption.h"
#include "driver/commands/OneOf.h"
#include "driver/compile/Targets.h"
#include "loader/abi/ScalarType.h"

#include <CLI/CLI.hpp>
#include <thread>

namespace sextant {
namespace {

/// The sections of the help.
void sortOptions(CLI::App &command) {
  const std::pair<const char *, std::vector<const char *>> groups[] = {
      {"What is built",
       {"--targets", "--kernel", "--const", "--manifest", "--module", "--source-root", "--shard",
        "--allow-missing", "--keep-going"}},
      {"What is written",
       {"--output", "--out-dir", "--depfile-beside", "--depfile", "--emit-header-beside",
        "--emit-header", "--embed-symbol", "--attach", "--compress", "--syntax-only",
        "--frontend-checked"}},
      {"Code",
       {"-O", "--assert", "--check", "-g", "--default-fp", "--default-ip", "--large-arrays",
        "--outside-reads", "--keep-overwritten"}},
      {"What has to hold", {"--max-size", "--fail-on-spill", "--require"}},
      {"Builds",
       {"--jobs", "--cache-dir", "--cache-size", "--no-cache", "--progress", "--verbose"}},
      {"Looking inside", {"--save-temps-beside", "--save-temps", "--dump-ir"}},
  };
  for (const auto &[group, names] : groups)
    for (const char *name : names)
      command.get_option(name)->group(group);
}

std::string namesOfReals() {
  std::string names;
  for (unsigned number = 1; number < abi::scalarTypeEnd; ++number)
    if (const abi::ScalarFacts &facts = abi::factsOf(abi::ScalarType(number));
        facts.kind == abi::ScalarKind::Real)
      names += (names.empty() ? "" : ", ") + std::string(facts.name);
  return names;
}

/// Lists the stages after which --dump-ir prints.
std::string stageHelp() {
  std::string text = "After which --dump-ir prints:";
  for (const StageRow &stage : listStages())
    text += "\n  " + stage.name + std::string(26 - stage.name.size(), ' ') + stage.help;
  return text;
}

void addInputs(CLI::App &command, CompileOptionsText &options) {
  CompileRequest &request = options.request;
  command.add_option("sources", options.sources, "kernel files (.py)");
  command.add_option("-o,--output", options.output,
                     "the module; default: the first file's name with .sxt, here");
  command.add_option("--out-dir", options.outDir, "one module a file, in this folder");
  command.add_option("-t,--targets", request.targets,
                     "what to build for, comma-listed or repeated: cpu, cuda, sm_90, "
                     "cpu:x86-64-v3/wave8, native, all, all-major (`sextant targets` lists them); "
                     "default: cpu");
  command.add_flag("--allow-missing", request.allowMissing,
                   "warn where a kernel cannot be built for a target, instead of failing");
  command.add_flag("--keep-going", request.keepGoing,
                   "leave out kernels with errors, and build the others");
  command.add_option("--manifest", options.manifest,
                     "a TOML file that says what to build, in place of sources: " +
                         pageName("manifest.md"));
  command.add_option("--module", options.modules,
                     "of the manifest's modules, only this one; repeatable");
  command.add_option("--source-root", options.sourceRoot,
                     "sources below this folder are named from there on, in the module too");
  command.add_option("--shard", options.shard,
                     "I/N: only part I of N of the targets, for `sextant merge`");
  command.add_option("-k,--kernel", request.kernels,
                     "an instance of a template kernel: 'scan[dtype=qd.i32, n=256]'; repeatable");
  command.add_option("--const", request.constants, "NAME=VALUE of a module constant; repeatable");
}

void addTuning(CLI::App &command, CompileRequest &request) {
  command.add_option("--tune", request.tune,
                     "NAME=VALUE,VALUE: a variant for each value of a module constant, from which "
                     "`sextant tune` chooses; repeatable");
  command.add_option(
      "--tune-where", request.tuneWhere,
      "a condition on tuned constants, 'TILE * ITEMS <= 4096'; repeatable, all must hold");
  command.add_option("--tune-targets", request.tuneTargets,
                     "only targets like this one get the alternatives: cuda, sm_90; repeatable");
  command
      .add_option("--tuning", request.tuning,
                  "what `sextant tune --tuning FILE` measured: the modules choose by it")
      ->type_name("FILE");
}

void addCode(CLI::App &command, CompileRequest &request) {
  command.add_option("--default-fp", request.defaultFloat,
                     "type of real literals: " + namesOfReals());
  command.add_option("--default-ip", request.defaultInt, "type of integer literals: i32, i64, …");
  command.add_option("-O", request.optLevel, "optimisation, 0 to 3; default: 3")
      ->check(oneOf("-O", {"0", "1", "2", "3"}, /*likely=*/{"3"}));
  command.add_flag("--assert", request.asserts, "test assertions at run time");
  command.add_flag("--check", request.checks,
                   "test indices, divisors, lanes, barriers and assertions at run time");
  command.add_flag("--large-arrays", request.largeArrays,
                   "also build variants for arrays of more than 2147483647 scalars");
  command.add_flag("--fast-math", request.fastMath,
                   "approximate divisions, roots and functions of f32");
  command.add_flag("--outside-reads", request.outsideReads,
                   "read the memory at constant indices outside of fields, with a warning");
  command.add_flag("--keep-overwritten", request.keepOverwritten,
                   "gradients take what arrays that kernels overwrite had before");
  command.add_flag("-g", request.lineInfo, "source lines in the code; with -O0 also variables");
}

/// Adds the options that say where results go, and in which form.
void addOutputs(CLI::App &command, CompileOptionsText &options) {
  CompileRequest &request = options.request;
  command.add_option("-j,--jobs", request.jobs, "worker threads; default: all cores")
      ->check(wholeNumber("--jobs", 1, 1024));
  addCompressOption(command, request.compression);
  addBudgetOptions(command, options.budget);
  command.add_flag("--depfile-beside", options.depfileBeside, "write a depfile beside the module");
  command.add_option("--depfile", options.depfile, "write a depfile there")->type_name("FILE");
  command.add_flag("--emit-header-beside", options.headerBeside,
                   "write a typed C++ header beside the module");
  command.add_option("--emit-header", options.header, "write it there")->type_name("FILE");
  command.add_option("--embed-symbol", options.embedSymbol,
                     "the header takes the module from this symbol, up to SYMBOL_end");
  command.add_option("--attach", request.attachments,
                     "NAME=FILE: the module carries the file's bytes by that name; repeatable");
  command.add_flag("--save-temps-beside", options.saveTempsBeside,
                   "keep intermediate files beside the module");
  command.add_option("--save-temps", request.saveTemps, "keep them there")->type_name("FOLDER");
  command
      .add_option("--dump-ir", request.dumpIr,
                  "print the IR to stdout after these stages, which are listed below; after each "
                  "without a list")
      ->type_name("PASS,…")
      ->delimiter(',');
  addCacheOptions(command, options.cache);
  command.add_flag(
      "--syntax-only", request.syntaxOnly,
      "look for errors and warnings, build nothing; with -o FILE, writes an empty FILE "
      "on success");
  command.add_flag("--frontend-checked", request.frontendChecked,
                   "omit frontend warnings (already reported by --syntax-only)");
  command.add_flag("--progress", options.progress,
                   "say how far it is, once a second, also where stderr is not a terminal");
  command.add_flag("-v,--verbose", options.verbose, "what the cache had, on stderr");
}

} // namespace

void addCompileOptions(CLI::App &command, CompileOptionsText &options) {
  CompileRequest &request = options.request;
  request.jobs = std::max(1u, std::thread::hardware_concurrency());
  // The help lists the options of a section in this order.
  addInputs(command, options);
  addTuning(command, request);
  addCode(command, request);
  addOutputs(command, options);
  sortOptions(command);
  command.footer(stageHelp());
}

} // namespace sextant
