// The request of a build, and the modules that it gives.
#pragma once

#include "driver/Environment.h"
#include "driver/cache/RemoteSettings.h"
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

/// Part `index` of `count` of the targets. The modules of all parts are merged later.
struct TargetShard {
  unsigned index = 0, count = 1;
};

/// A description of what to build. Each entry of `modules` becomes one module.
struct CompileRequest {
  std::vector<std::vector<std::string>> modules; ///< kernel files of each module
  std::vector<std::string> targets;              ///< as written; an entry may list several
  std::vector<std::string> kernels;              ///< instantiations, `scan[dtype=qd.i32, n=256]`
  std::vector<std::string> constants;            ///< `NAME=VALUE`
  std::vector<std::string> tune;                 ///< `NAME=VALUE,VALUE`: a variant for each
  std::vector<std::string> tuneWhere;            ///< conditions on these, of which all must hold
  std::vector<std::string> tuneTargets; ///< patterns of the targets that get these; empty: all
  bool sharedConstants = false;         ///< the caller checks them, by CompiledModule::names
  bool checkOnly = false;               ///< stop before code is made: another build has failed
  bool syntaxOnly = false;      ///< modules without bytes: only errors and warnings of the frontend
  bool frontendChecked = false; ///< a build with syntaxOnly has told its warnings
  std::string defaultFloat = "f32", defaultInt = "i32";
  unsigned optLevel = 3;
  bool lineInfo = false;
  bool asserts = false, checks = false; ///< tested at run time; checks come with asserts
  bool fastMath = false;                ///< f32 may be approximated, unless a kernel says otherwise
  bool outsideReads = false;            ///< see SemaOptions::outsideReads
  bool keepOverwritten = false;         ///< see SemaOptions::keepOverwritten
  bool largeArrays = false;             ///< variants for arrays of more than 2^31 - 1 scalars, too
  bool allowMissing = false;            ///< a target without code for a kernel is a warning
  /// Kernels with errors are left out, and these errors are tolerated. Implies allowMissing.
  bool keepGoing = false;
  /// Allows a kernel without any code. The merged module must then be checked for what the items of
  /// `targets` ask, if they cover more than this part.
  std::optional<TargetShard> shard;
  /// A file with what `sextant tune` measured, which modules are to choose by; empty: none.
  std::string tuning;
  std::vector<std::string> attachments; ///< NAME=FILE: what the modules carry for their users
  unsigned jobs = 1;                    ///< worker threads
  packager::Compression compression = packager::Compression::Balanced;
  std::string saveTemps;           ///< folder for intermediate files; empty: do not keep them
  std::vector<std::string> dumpIr; ///< stages; "all"
  bool verifyStages = false;       ///< also where the build has no assertions
  /// The folder of images that earlier runs stored; empty: no cache. With `saveTemps` or `dumpIr`
  /// the cache is not used, since the passes have to run.
  std::string cacheFolder;
  uint64_t cacheLimit = 0; ///< bytes; 0: no limit
  std::string cacheSecret; ///< seals entries of both caches, hexadecimal; empty: none
  RemoteSettings remote;   ///< the cache that is asked after that folder
};

struct CompiledModule {
  std::vector<std::byte> bytes;
  std::vector<std::string> dependencies; ///< files read, as paths
  ModuleNames names = {};                ///< which constants it may have, if any were given
};

/// Called from any worker, one call at a time. `done` of `total` steps are done (0 if the total is
/// unknown), and the text names the current one; "" at the end.
using Progress = std::function<void(size_t done, size_t total, const std::string &what)>;

/// Every file that was read. Diagnostics point into it, so it must outlive them.
using SourceFiles = std::vector<std::unique_ptr<SourceFile>>;

} // namespace sextant
