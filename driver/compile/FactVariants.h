// Variants for devices that have more than a target promises: more shared memory, or a matrix unit.
// Only kernels that ask for such facts (`impl.get_max_shared_memory_bytes()`,
// `qd.simt.matrix_unit()`) can have other code there, as sorts and products of matrices do.
#pragma once

#include "driver/compile/Units.h"

namespace sextant {

/// The targets that a build makes code for.
struct BuildTargets {
  /// Those that the list names, and each followed by the same one with some or all of
  /// Backend::factFeatures.
  std::vector<Target> all;
  /// The facts of targets that the user did not list, and those with one feature less. Targets
  /// with more features come after those with fewer.
  std::vector<std::pair<TargetFacts, TargetFacts>> added;
};

BuildTargets withFactVariants(const std::vector<Target> &named);

/// Removes code for more features from a unit for which it is the same as with one feature less.
void dropSameCode(const BuildTargets &targets, KernelUnit &unit);

} // namespace sextant
