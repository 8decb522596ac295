// The options of `sextant compile`, from the command line or a manifest.
#pragma once

#include "driver/commands/Budget.h"
#include "driver/commands/CacheSettings.h"
#include "driver/compile/Compile.h"

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace sextant {

struct CompileOptionsText {
  CompileRequest request;
  std::vector<std::string> sources;
  std::string output, outDir, depfile, header, embedSymbol;
  bool depfileBeside = false, headerBeside = false, saveTempsBeside = false;
  std::string manifest;             ///< TOML file; then there are no sources
  std::vector<std::string> modules; ///< names in the manifest; empty: all
  std::string sourceRoot, shard;
  CacheOptionsText cache;
  Budget budget;
  bool verbose = false, progress = false;
};

/// `options` must live as long as `command`.
void addCompileOptions(CLI::App &command, CompileOptionsText &options);

/// The options of one build, and the folder where its paths start.
struct Build {
  CompileOptionsText options;
  std::string directory; ///< as Environment::directory
  std::string origin;    ///< "sextant.toml:4: module 'app'"; of a command line: ""
};

/// Returns the builds of the manifest that `options` names. The command line wins over the
/// manifest. \param command knows which options were given. Throws Refusal.
std::vector<Build> buildsOfManifest(const CompileOptionsText &options, const CLI::App &command,
                                    const Environment &environment);
/// Returns the one build of a command line with sources. Throws Refusal.
Build buildOfSources(const CompileOptionsText &options, const Environment &environment);

} // namespace sextant
