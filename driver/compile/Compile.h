// Kernel files to modules: the whole pipeline behind `sextant compile`, without
// options or files of output. Free of LLVM, so that the commands are too.
#pragma once

#include "driver/Environment.h"
#include "frontend/syntax/Diagnostics.h"
#include "frontend/syntax/ModuleNames.h"
#include "packager/Compression.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sextant {

/// Part `index` of `count` of the targets, for modules that are merged.
struct TargetShard {
  unsigned index = 0, count = 1;
};

/// What to build. Each entry of `modules` becomes one module.
struct CompileRequest {
  std::vector<std::vector<std::string>> modules; ///< kernel files of each module
  std::vector<std::string> targets;              ///< as written; an entry may list several
  std::vector<std::string> kernels;              ///< instantiations, `scan[dtype=qd.i32, n=256]`
  std::vector<std::string> constants;            ///< `NAME=VALUE`
  bool sharedConstants = false; ///< the caller checks them, by CompiledModule::names
  bool checkOnly = false;       ///< stop before code is made: another build has failed
  bool syntaxOnly = false; ///< modules without bytes: errors and warnings of the frontend alone
  bool frontendChecked = false; ///< a build with syntaxOnly has told its warnings
  std::string defaultFloat = "f32", defaultInt = "i32";
  unsigned optLevel = 3;
  bool lineInfo = false;
  bool asserts = false, checks = false; ///< tested at run time; checks come with asserts
  bool allowMissing = false;            ///< a target without code for a kernel is a warning
  /// A kernel may then be left without any code; the merged module has to be looked at for what
  /// the items of `targets` ask for, where they are more than this part.
  std::optional<TargetShard> shard;
  unsigned jobs = 1; ///< worker threads
  packager::Compression compression = packager::Compression::Balanced;
  std::string saveTemps;           ///< folder for intermediate files; empty: none
  std::vector<std::string> dumpIr; ///< stages; "all"
  bool verifyStages = false;       ///< also where the build has no assertions
  /// Images that earlier runs stored are taken from here; empty: no cache. Whoever wants to see
  /// the passes at work (`saveTemps`, `dumpIr`) gets none.
  std::string cacheFolder;
  uint64_t cacheLimit = 0; ///< bytes; 0: none
};

/// How a cache did in one run, in results of a kernel for a target.
struct CacheUse {
  uint64_t hits = 0, misses = 0;
};

struct CompiledModule {
  std::vector<std::byte> bytes;
  std::vector<std::string> dependencies; ///< files read, as paths
  ModuleNames names;                     ///< which constants it may have, if any were given
};

/// Called from any worker, one call at a time: `done` of `total` steps, 0 where nobody knows, and
/// the one at hand; "" at the end.
using Progress = std::function<void(size_t done, size_t total, const std::string &what)>;

/// Every file read; diagnostics point into it, so it outlives them.
using SourceFiles = std::vector<std::unique_ptr<SourceFile>>;

/// An error for each constant (`NAME=VALUE`) that no file knows.
void checkConstants(const std::vector<std::string> &constants, const ModuleNames &names,
                    DiagnosticSink &sink);

/// Builds all modules or none: empty where `sink` got an error. IR that was asked
/// for goes to Environment::out. \param cacheUse may be null
std::vector<CompiledModule> compile(const CompileRequest &request, const Environment &environment,
                                    SourceFiles &files, DiagnosticSink &sink,
                                    const Progress &progress, CacheUse *cacheUse = nullptr);

} // namespace sextant
