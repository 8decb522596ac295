// Adds targets, and drops the kernels that need none.
#include "driver/compile/FactVariants.h"

#include "frontend/hir/Fingerprint.h"

#include <algorithm>

namespace sextant {
namespace {

bool contains(const std::vector<Target> &targets, const Target &target) {
  return std::any_of(targets.begin(), targets.end(),
                     [&](const Target &one) { return one.str() == target.str(); });
}

/// Kernels whose file asks for no such fact are one object.
bool isSame(const std::shared_ptr<const hir::Kernel> &one,
            const std::shared_ptr<const hir::Kernel> &other) {
  return one == other || hir::bytesOf(*one) == hir::bytesOf(*other);
}

bool has(const Target &target, const std::string &feature) {
  return std::count(target.features.begin(), target.features.end(), feature) != 0;
}

Target with(Target target, const std::string &feature) {
  target.features.insert(std::upper_bound(target.features.begin(), target.features.end(), feature),
                         feature);
  return target;
}

} // namespace

BuildTargets withFactVariants(const std::vector<Target> &named) {
  BuildTargets result;
  std::set<TargetFacts> ofNamed;
  for (const Target &target : named)
    ofNamed.insert(factsOf(target));
  for (const Target &target : named) {
    // The target, and then what each feature makes of those so far.
    std::vector<Target> ofOne = {target};
    std::set<TargetFacts> known = {factsOf(target)};
    for (const std::string &feature : findBackend(target.backend)->factFeatures())
      if (!has(target, feature))
        for (size_t k = 0, count = ofOne.size(); k < count; ++k)
          if (const Target more = with(ofOne[k], feature); known.insert(factsOf(more)).second)
            ofOne.push_back(more);
    for (const Target &one : ofOne)
      if (&one == &ofOne.front() || !contains(named, one))
        result.all.push_back(one);
    for (const Target &less : ofOne)
      for (const std::string &feature : findBackend(target.backend)->factFeatures())
        if (const Target more = with(less, feature); contains(ofOne, more) && !has(less, feature) &&
                                                     !contains(named, more) &&
                                                     !ofNamed.contains(factsOf(more)))
          result.added.emplace_back(factsOf(more), factsOf(less));
  }
  return result;
}

void dropSameCode(const BuildTargets &targets, KernelUnit &unit) {
  // Those with more features are compared before those with fewer are gone.
  for (auto pair = targets.added.rbegin(); pair != targets.added.rend(); ++pair) {
    const auto more = unit.byTarget.find(pair->first), less = unit.byTarget.find(pair->second);
    if (more != unit.byTarget.end() &&
        (less == unit.byTarget.end() || !isSame(more->second, less->second)))
      continue;
    unit.byTarget.erase(pair->first);
    unit.refused.erase(pair->first);
  }
}

} // namespace sextant
