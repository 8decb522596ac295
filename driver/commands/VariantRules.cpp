#include "driver/commands/VariantRules.h"

#include "driver/commands/ModuleFile.h"
#include "frontend/spelling/Suggestion.h"
#include "loader/format/Select.h"
#include "packager/Pattern.h"

#include <set>
#include <vector>

namespace sextant {

void checkRules(std::span<const module::Kernel> kernels, const std::string &pin, unsigned wave) {
  std::vector<std::string> targets;
  std::set<unsigned> waves;
  bool hasPin = pin.empty();
  for (const module::Kernel &kernel : kernels)
    for (const module::Variant &variant : kernel.variants) {
      targets.push_back(module::str(variant.target));
      waves.insert(variant.target.wave);
      hasPin |= module::matches(pin, variant.target);
    }
  const std::string whose = kernels.size() == 1 ? "of kernel '" + kernels.front().instance + "'"
                                                : std::string("of the module");
  if (!hasPin) {
    const std::string near = targetSuggestion(pin, targets);
    throw Refusal(Problem::OptionValueWrong, "--variant '" + pin + "' names no variant " + whose,
                  near.empty() ? "it has " + packager::listSome(packager::targetsOf(kernels))
                               : near);
  }
  if (wave == 0 || waves.contains(wave))
    return;
  std::string list;
  for (unsigned one : waves)
    list += (list.empty() ? "" : ", ") + std::to_string(one);
  throw Refusal(Problem::OptionValueWrong,
                "--wave: no variant " + whose + " has waves of " + std::to_string(wave) + " lanes",
                list.empty() ? "it has no variants" : "its variants have waves of " + list);
}

void checkRules(const Environment &environment, const CallOptions &call,
                const std::string &kernel) {
  if (call.variant.empty() && call.wave == 0)
    return;
  const module::Kernel found = findKernel(openModule(environment, call.module), kernel);
  checkRules({&found, 1}, call.variant, call.wave);
}

} // namespace sextant
