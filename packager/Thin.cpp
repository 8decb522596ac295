#include "packager/Thin.h"
#include "loader/abi/Features.h"
#include "packager/Tuning.h"

#include <algorithm>
#include <map>
#include <set>

namespace sextant::packager {

using namespace module;

namespace {

Status invalid(std::string message) { return {Code::InvalidInput, std::move(message)}; }

bool anyNamesKernel(std::span<const Pattern> patterns, const Kernel &kernel) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const Pattern &pattern) { return pattern.namesKernel(kernel); });
}

bool isKernelDropped(const Kernel &kernel, const ThinOptions &options) {
  if (!options.keep.empty() && !anyNamesKernel(options.keep, kernel))
    return true;
  return std::any_of(options.drop.begin(), options.drop.end(), [&](const Pattern &pattern) {
    return pattern.isAnyTarget() && pattern.namesKernel(kernel);
  });
}

bool isDropped(const Kernel &kernel, const Target &target, const ThinOptions &options) {
  auto isNamed = [&](const Pattern &pattern) { return pattern.names(kernel, target); };
  if (!options.keep.empty() && std::none_of(options.keep.begin(), options.keep.end(), isNamed))
    return true;
  return std::any_of(options.drop.begin(), options.drop.end(), isNamed);
}

/// The choices of a target, "+ITEMS=4+TILE=64", whatever else it says.
std::string choicesOf(const Target &target) {
  std::string text;
  for (const std::string &feature : target.features)
    if (abi::isChoice(feature))
      text += "+" + feature;
  return text;
}

/// For each kernel and backend that was measured, the choices that were the fastest somewhere.
using Winners = std::map<std::pair<std::string, std::string>, std::set<std::string>>;

Winners winnersOf(std::span<const Kernel> kernels, const std::vector<Tuned> &tuned) {
  Winners winners;
  for (const Kernel &kernel : kernels)
    for (const Tuned &one : tuned)
      if (one.kernel == kernel.instance)
        for (const Variant &variant : kernel.variants)
          if (str(variant.target) == one.target)
            winners[{kernel.instance, variant.target.backend}].insert(choicesOf(variant.target));
  return winners;
}

bool isLoser(const Winners &winners, const Kernel &kernel, const Target &target) {
  const std::string choices = choicesOf(target);
  const auto known = winners.find({kernel.instance, target.backend});
  return !choices.empty() && known != winners.end() && !known->second.contains(choices);
}

} // namespace

Result<Contents> thin(Contents contents, const ThinOptions &options) {
  for (const std::vector<Pattern> *patterns : {&options.keep, &options.drop})
    if (Status status = checkPatterns(contents.kernels, *patterns); !status.ok())
      return status;
  const Winners winners = winnersOf(contents.kernels, fastestOf(options.measured));
  std::vector<Kernel> left;
  for (Kernel &kernel : contents.kernels) {
    if (isKernelDropped(kernel, options))
      continue;
    const std::vector<Variant> before = std::move(kernel.variants);
    kernel.variants.clear();
    if (options.forget)
      std::erase_if(kernel.refusals, [&](const RefusedTarget &refusal) {
        return isDropped(kernel, refusal.target, options);
      });
    std::vector<std::string> dropped;
    for (const Variant &variant : before) {
      if (!isDropped(kernel, variant.target, options) &&
          !isLoser(winners, kernel, variant.target)) {
        kernel.variants.push_back(variant);
        continue;
      }
      dropped.push_back(str(variant.target));
      if (!options.forget)
        kernel.refusals.push_back({variant.target, std::string(droppedReason)});
    }
    if (kernel.variants.empty() && !dropped.empty() && !options.allowEmptyKernels)
      return invalid("kernel '" + kernel.instance + "' would lose its last variant of " +
                     listSome(dropped) + "; keep one, drop the kernel by --drop 'kernel:" +
                     kernel.instance + "', or pass --allow-empty-kernels");
    left.push_back(std::move(kernel));
  }
  if (left.empty())
    return invalid("nothing would be left of the module");
  contents.kernels = std::move(left);
  return contents;
}

} // namespace sextant::packager
