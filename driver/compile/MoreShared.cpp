// Adds targets, and drops the kernels that need none.
#include "driver/compile/MoreShared.h"

#include "frontend/hir/Fingerprint.h"

#include <algorithm>

namespace sextant {
namespace {

bool contains(const std::vector<Target> &targets, const Target &target) {
  return std::any_of(targets.begin(), targets.end(),
                     [&](const Target &one) { return one.str() == target.str(); });
}

/// Kernels whose file asks for no shared memory are one object.
bool isSame(const std::shared_ptr<const hir::Kernel> &one,
            const std::shared_ptr<const hir::Kernel> &other) {
  return one == other || hir::bytesOf(*one) == hir::bytesOf(*other);
}

} // namespace

BuildTargets withMoreShared(const std::vector<Target> &named) {
  BuildTargets result;
  std::set<TargetFacts> ofNamed;
  for (const Target &target : named)
    ofNamed.insert(factsOf(target));
  for (const Target &target : named) {
    result.all.push_back(target);
    const std::string feature = findBackend(target.backend)->sharedFeature().str();
    if (feature.empty() || std::count(target.features.begin(), target.features.end(), feature))
      continue;
    Target more = target;
    more.features.insert(std::upper_bound(more.features.begin(), more.features.end(), feature),
                         feature);
    if (contains(named, more))
      continue;
    if (!ofNamed.contains(factsOf(more)))
      result.added.emplace_back(factsOf(more), factsOf(target));
    result.all.push_back(std::move(more));
  }
  return result;
}

void dropSameCode(const BuildTargets &targets, KernelUnit &unit) {
  for (const auto &[more, usual] : targets.added) {
    const auto with = unit.byTarget.find(more), without = unit.byTarget.find(usual);
    if (with != unit.byTarget.end() &&
        (without == unit.byTarget.end() || !isSame(with->second, without->second)))
      continue;
    unit.byTarget.erase(more);
    unit.refused.erase(more);
  }
}

} // namespace sextant
