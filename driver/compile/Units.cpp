// Names of units, and facts of targets.
#include "driver/compile/Units.h"

namespace sextant {

TargetFacts factsOf(const Target &target) {
  const Backend &backend = *findBackend(target.backend);
  return {target.wave, target.backend, backend.sharedLimit(target),
          backend.matrixUnit(target).str()};
}

std::string nameOf(const KernelUnit &unit) {
  std::string name = unit.instance;
  if (!unit.alternative.empty())
    name += " by " + unit.alternative;
  for (const std::string &word : unit.tuned)
    name += (&word == &unit.tuned.front() ? " with " : ", ") + word;
  return unit.isLarge ? name + " for large arrays" : name;
}

} // namespace sextant
