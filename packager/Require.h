// Requirements on a module: `sextant verify --require` and `--fail-on-spill`.
#pragma once

#include "packager/Pattern.h"

namespace sextant::packager {

/// A kernel that lacks what a pattern requires.
struct Missing {
  std::string kernel;  ///< instance; empty: the pattern names no kernel
  std::string pattern; ///< as written
  std::string reason;  ///< refusals that the module records, or what it has
};
/// "kernel 'scan' lacks 'sm_90': it has …".
std::string str(const Missing &missing);
/// Finds each kernel that a pattern names and that has no variant which the pattern names.
std::vector<Missing> findMissing(std::span<const module::Kernel> kernels,
                                 std::span<const Pattern> patterns);

/// A task that spills registers.
struct Spill {
  std::string kernel, target, task;
  int32_t bytes = 0; ///< a thread, as Resources::spillBytes
};
struct SpillReport {
  std::vector<Spill> spills;
  uint64_t variants = 0;
  uint64_t unknown = 0;            ///< variants with a task of which the toolchain does not tell
  std::vector<std::string> untold; ///< their backends
};
SpillReport findSpills(std::span<const module::Kernel> kernels);

} // namespace sextant::packager
