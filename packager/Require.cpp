#include "packager/Require.h"

#include "frontend/spelling/Suggestion.h"

#include <algorithm>

namespace sextant::packager {

using namespace module;

std::string str(const Missing &missing) {
  if (missing.kernel.empty())
    return "no kernel is '" + missing.pattern + "': " + missing.reason;
  return "kernel '" + missing.kernel + "' lacks '" + missing.pattern + "': " + missing.reason;
}

std::vector<Missing> findMissing(std::span<const Kernel> kernels,
                                 std::span<const Pattern> patterns) {
  std::vector<Missing> missing;
  for (const Pattern &pattern : patterns) {
    bool anyKernel = false;
    for (const Kernel &kernel : kernels) {
      if (!pattern.namesKernel(kernel))
        continue;
      anyKernel = true;
      std::vector<std::string> targets, refusals;
      bool has = false;
      for (const Variant &variant : kernel.variants) {
        targets.push_back(str(variant.target));
        has |= pattern.namesTarget(variant.target);
      }
      if (has)
        continue;
      for (const RefusedTarget &refusal : kernel.refusals)
        if (pattern.namesTarget(refusal.target))
          refusals.push_back(str(refusal.target) + ": " + refusal.reason);
      missing.push_back(
          {kernel.instance, pattern.text,
           refusals.empty()
               ? "it has " + listNear(targets, targetSuggestion(pattern.target, targets))
               : listSome(refusals)});
    }
    if (!anyKernel)
      missing.push_back(
          {"", pattern.text, "the module has kernels " + kernelsNear(kernels, pattern.kernel)});
  }
  return missing;
}

SpillReport findSpills(std::span<const Kernel> kernels) {
  SpillReport report;
  for (const Kernel &kernel : kernels)
    for (const Variant &variant : kernel.variants) {
      ++report.variants;
      bool isUnknown = false;
      for (size_t task = 0; task < variant.resources.size(); ++task) {
        const int32_t bytes = variant.resources[task].spillBytes;
        isUnknown |= bytes < 0;
        if (bytes > 0)
          report.spills.push_back({kernel.instance, str(variant.target),
                                   kernel.plans[variant.plan].tasks[task].symbol, bytes});
      }
      report.unknown += isUnknown;
      const std::string &backend = variant.target.backend;
      if (isUnknown &&
          std::find(report.untold.begin(), report.untold.end(), backend) == report.untold.end())
        report.untold.push_back(backend);
    }
  std::sort(report.untold.begin(), report.untold.end());
  return report;
}

} // namespace sextant::packager
