// Turns options and a manifest into builds. Paths of a build start at one folder, the manifest's or
// --source-root, because modules carry the names of sources. So these names depend neither on the
// place of the tree nor on the command's folder.
#include "driver/commands/CompileOptions.h"
#include "driver/commands/Manifest.h"
#include "frontend/spelling/Suggestion.h"

#include <algorithm>
#include <filesystem>

namespace sextant {
namespace {
namespace fs = std::filesystem;

/// Paths on the command line stay relative to `environment`, even if a build starts elsewhere.
void fixPaths(CompileOptionsText &options, const Environment &environment) {
  for (std::string *path :
       {&options.output, &options.outDir, &options.depfile, &options.header,
        &options.request.saveTemps, &options.request.tuning, &options.cache.folder})
    if (!path->empty() && !isStream(environment, *path))
      *path = absolutePath(environment, *path);
  for (std::string &attachment : options.request.attachments)
    if (const size_t from = attachment.find('=') + 1;
        from != 0 && !isStream(environment, attachment.substr(from)))
      attachment = attachment.substr(0, from) + absolutePath(environment, attachment.substr(from));
}

} // namespace

Build buildOfSources(const CompileOptionsText &options, const Environment &environment) {
  if (options.sources.empty())
    throw Refusal(Problem::KernelFileMissing, "no kernel file is named",
                  "name one or more, or a --manifest");
  if (!options.modules.empty())
    throw Refusal(Problem::OptionNeedsAnother, "--module names a module of a manifest",
                  "say which with --manifest");
  Build build{options, environment.directory, ""};
  if (options.sourceRoot.empty())
    return build;
  fixPaths(build.options, environment);
  build.directory = absolutePath(environment, options.sourceRoot);
  if (std::error_code code; !fs::is_directory(build.directory, code))
    throw Refusal(Problem::OptionValueWrong,
                  "--source-root: '" + options.sourceRoot + "' is not a folder",
                  "name one that the kernel files are in");
  if (build.options.output.empty() && build.options.outDir.empty() &&
      !isStream(environment, options.sources.front()))
    build.options.output = absolutePath(
        environment,
        fs::path(options.sources.front()).filename().replace_extension(".sxt").string());
  for (std::string &source : build.options.sources) {
    if (isStream(environment, source))
      continue;
    source = absolutePath(environment, source);
    fs::path below = fs::path(source).lexically_relative(build.directory);
    if (!below.empty() && *below.begin() != "..")
      source = below.string();
  }
  return build;
}

std::vector<Build> buildsOfManifest(const CompileOptionsText &options, const CLI::App &command,
                                    const Environment &environment) {
  if (!options.sources.empty())
    throw Refusal(Problem::OptionsExclusive, "--manifest and kernel files exclude each other",
                  "choose among the manifest's modules by --module NAME");
  if (!options.outDir.empty() || !options.sourceRoot.empty())
    throw Refusal(Problem::OptionsExclusive,
                  "--out-dir and --source-root do not go with --manifest",
                  "the manifest says where each module lies");
  std::vector<ManifestModule> modules = readManifest(environment, options.manifest);
  std::vector<std::string> names;
  for (const ManifestModule &module : modules)
    names.push_back(module.name);
  for (const std::string &wanted : options.modules)
    if (std::find(names.begin(), names.end(), wanted) == names.end())
      throw Refusal(Problem::ManifestWrong, options.manifest + ": no module '" + wanted + "'",
                    suggestion(wanted, names));

  std::vector<Build> builds;
  std::string folder = fs::path(absolutePath(environment, options.manifest)).parent_path().string();
  for (const ManifestModule &module : modules) {
    if (!options.modules.empty() && std::find(options.modules.begin(), options.modules.end(),
                                              module.name) == options.modules.end())
      continue;
    Build build{options, folder,
                options.manifest + ":" + std::to_string(module.line) + ": module '" + module.name +
                    "'"};
    CompileOptionsText &to = build.options;
    fixPaths(to, environment);
    auto take = [&](const char *option, auto &place, const auto &value) {
      if (value && command.count(option) == 0)
        place = *value;
    };
    to.sources = *module.sources;
    take("--targets", to.request.targets, module.targets);
    take("--kernel", to.request.kernels, module.kernels);
    take("--const", to.request.constants, module.constants);
    take("--tune", to.request.tune, module.tune);
    take("--tune-where", to.request.tuneWhere, module.tuneWhere);
    take("--tune-targets", to.request.tuneTargets, module.tuneTargets);
    take("--tuning", to.request.tuning, module.tuning);
    to.request.sharedConstants = command.count("--const") != 0 || !module.ownConstants;
    take("--default-fp", to.request.defaultFloat, module.defaultFloat);
    take("--default-ip", to.request.defaultInt, module.defaultInt);
    take("-O", to.request.optLevel, module.optLevel);
    take("--assert", to.request.asserts, module.asserts);
    take("--check", to.request.checks, module.checks);
    take("--large-arrays", to.request.largeArrays, module.largeArrays);
    take("--fast-math", to.request.fastMath, module.fastMath);
    take("--keep-overwritten", to.request.keepOverwritten, module.keepOverwritten);
    take("-g", to.request.lineInfo, module.lineInfo);
    take("--allow-missing", to.request.allowMissing, module.allowMissing);
    take("--keep-going", to.request.keepGoing, module.keepGoing);
    take("--attach", to.request.attachments, module.attachments);
    take("--compress", to.request.compression, module.compression);
    take("--max-size", to.budget.maxBytes, module.maxBytes);
    take("--fail-on-spill", to.budget.failOnSpill, module.failOnSpill);
    take("--require", to.budget.require, module.require);
    take("--output", to.output, module.output);
    take("--embed-symbol", to.embedSymbol, module.embedSymbol);
    if (command.count("--emit-header") + command.count("--emit-header-beside") == 0) {
      to.header = module.header.value_or("");
      to.headerBeside = module.headerBeside.value_or(false);
    }
    builds.push_back(std::move(build));
  }
  if (builds.size() > 1 && command.count("--output") + command.count("--emit-header") != 0)
    throw Refusal(Problem::OptionsExclusive,
                  "the manifest has several modules, and -o or --emit-header=FILE names one file",
                  "choose a module by --module NAME");
  return builds;
}

} // namespace sextant
