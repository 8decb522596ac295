// A list of targets, as commands get it.
#include "driver/compile/TargetList.h"

#include "backends/Targets.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <set>

namespace sextant {

static void checkFeatures(const Target &target) {
  const llvm::ArrayRef<std::string> known = findBackend(target.backend)->features();
  for (const std::string &feature : target.features)
    if (!llvm::is_contained(known, feature))
      throw Refusal(Problem::TargetFeatureUnknown,
                    target.backend + " targets have no feature '" + feature + "'",
                    known.empty() ? "leave it out; settings of a processor of AMD's are written "
                                    "with a colon, as gfx90a:xnack+"
                                  : "there are " + llvm::join(known, ", "));
}

std::vector<TargetItem> expandTargets(const std::vector<std::string> &texts) {
  std::vector<TargetItem> items;
  for (const std::string &text : texts)
    for (llvm::StringRef part : llvm::split(text, ',')) {
      std::string item = part.trim(" \t").str();
      if (item.empty())
        continue;
      llvm::Expected<std::vector<Target>> targets = parseTargets({item}, allBackends());
      if (!targets)
        throw Refusal(Problem::TargetUnknown, llvm::toString(targets.takeError()));
      for (const Target &target : *targets)
        checkFeatures(target);
      items.push_back({item, std::move(*targets)});
    }
  if (items.empty())
    throw Refusal(Problem::TargetUnknown, "no target named", "`sextant targets` lists them all");
  return items;
}

std::vector<Target> uniqueTargets(const std::vector<TargetItem> &items) {
  std::vector<Target> targets;
  std::set<std::string> seen;
  for (const TargetItem &item : items)
    for (const Target &target : item.targets)
      if (seen.insert(target.str()).second)
        targets.push_back(target);
  return targets;
}

std::vector<Target> partOf(const std::vector<Target> &targets, const TargetShard &shard) {
  std::vector<Target> part;
  for (size_t index = shard.index; index < targets.size(); index += shard.count)
    part.push_back(targets[index]);
  return part;
}

} // namespace sextant
