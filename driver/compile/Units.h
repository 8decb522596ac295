// The kernels of one module before backends: an instance of each for each kind of target that
// kernels can tell apart.
#pragma once

#include "backends/Backend.h"
#include "driver/compile/Request.h"
#include "frontend/hir/Hir.h"
#include "frontend/sema/Sema.h"
#include "loader/abi/Features.h"

#include <map>
#include <memory>
#include <set>

namespace sextant {

/// Returns the facts of a target that kernels can depend on.
TargetFacts factsOf(const Target &target);

/// A kernel instance for each kind of target that can have it.
struct KernelUnit {
  std::string instance;
  size_t source = 0; ///< index into FrontendResult::sources
  /// An implementation after the first (`@qd.perf_dispatch`): the function's name. Else empty.
  std::string alternative;
  /// The variants for large arrays of the unit before it. It has neither code nor refusals for
  /// targets that are refused there.
  bool isLarge = false;
  /// The input of irgen. Targets share a kernel if nothing in its file asks what sets them apart.
  std::map<TargetFacts, std::shared_ptr<const hir::Kernel>> byTarget;
  std::map<TargetFacts, std::vector<Diagnostic>> refused; ///< targets without it: why
  /// The constants that another combination than the default gives (`--tune`), NAME=VALUE each.
  std::vector<std::string> tuned;
};

struct FrontendResult {
  struct Source {
    std::string path;
    const SourceFile *file = nullptr;
    bool isStream = false; ///< standard input or a pipe: no build depends on its name
  };
  std::vector<Source> sources;     ///< those named, then those imported
  std::vector<KernelUnit> kernels; ///< in the order of the sources
  std::set<std::string> lost;      ///< kernels with errors, of which `kernels` has nothing
  std::set<std::string> functions; ///< top-level functions of the named sources
  ModuleNames names;               ///< the constants that may be given, if some are given or tuned
  Requests requests;               ///< those of built instances that have values
  bool isBroken = false;           ///< some source does not parse
};

/// Returns the unit's name for messages and dumps.
std::string nameOf(const KernelUnit &unit);

/// Adds the words of alternatives, of tuned constants and of variants for large arrays to the
/// features of a unit's target. Target is that of the backends, or of modules.
template <class Target> Target targetOf(const KernelUnit &unit, Target target) {
  if (!unit.alternative.empty())
    target.features.emplace_back(abi::implementation + unit.alternative);
  for (const std::string &word : unit.tuned)
    target.features.push_back(word);
  if (unit.isLarge)
    target.features.emplace_back(abi::largeArrays);
  return target;
}

/// The kinds of targets of a build: of all, and of those whose constants are tuned.
struct TargetKinds {
  std::set<TargetFacts> all, tuned;
};

} // namespace sextant
