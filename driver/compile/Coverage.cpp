// Compares the items of a target list with the variants of a module. A variant with features of its
// own (Backend::variants) counts as one of the target without them.
#include "driver/compile/Coverage.h"

#include "backends/Targets.h"

#include <algorithm>

namespace sextant {
namespace {

bool covers(const module::Target &variant, const Target &target) {
  return variant.backend == target.backend && variant.arch == target.arch &&
         variant.wave == target.wave &&
         std::all_of(target.features.begin(), target.features.end(), [&](const std::string &one) {
           return std::find(variant.features.begin(), variant.features.end(), one) !=
                  variant.features.end();
         });
}

std::string reasonFor(const module::Kernel &kernel, const std::vector<Target> &targets) {
  for (const module::RefusedTarget &refusal : kernel.refusals)
    for (const Target &target : targets)
      if (covers(refusal.target, target))
        return refusal.reason;
  return "no shard has been built for it";
}

} // namespace

void checkCoverage(const std::vector<module::Kernel> &kernels,
                   const std::vector<std::string> &targets, bool allowMissing) {
  std::string problems;
  size_t count = 0;
  for (const std::string &list : targets)
    for (llvm::StringRef item : llvm::split(list, ',')) {
      item = item.trim();
      if (item.empty())
        continue;
      llvm::Expected<std::vector<Target>> parsed = parseTargets({item.str()}, allBackends());
      if (!parsed)
        throw Refusal(Problem::TargetUnknown, llvm::toString(parsed.takeError()));
      for (const module::Kernel &kernel : kernels) {
        bool found = allowMissing
                         ? !kernel.variants.empty()
                         : std::any_of(kernel.variants.begin(), kernel.variants.end(),
                                       [&](const module::Variant &variant) {
                                         return std::any_of(parsed->begin(), parsed->end(),
                                                            [&](const Target &target) {
                                                              return covers(variant.target, target);
                                                            });
                                       });
        if (!found && ++count <= 8)
          problems += "\n  kernel '" + kernel.instance + "' has no code for " + item.str() + ": " +
                      reasonFor(kernel, *parsed);
      }
    }
  if (count > 8)
    problems += "\n  and " + std::to_string(count - 8) + " more";
  if (count)
    throw Refusal(Problem::KernelWithoutCode, "the shards leave kernels without code:" + problems,
                  "leave the target out, or allow it by --allow-missing");
}

} // namespace sextant
