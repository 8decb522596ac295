// Variants for devices with more shared memory than a target promises. Only kernels that ask how
// much there is (`impl.get_max_shared_memory_bytes()`) can have other code there, as sorts do.
#pragma once

#include "driver/compile/Units.h"

namespace sextant {

/// The targets that a build makes code for.
struct BuildTargets {
  /// Those that the list names, and each followed by the same one with Backend::sharedFeature.
  std::vector<Target> all;
  /// The target's facts without and with the feature, for targets that the user did not list with
  /// it.
  std::vector<std::pair<TargetFacts, TargetFacts>> added;
};

BuildTargets withMoreShared(const std::vector<Target> &named);

/// Removes the code for more shared memory from a unit for which it is the same as without.
void dropSameCode(const BuildTargets &targets, KernelUnit &unit);

} // namespace sextant
