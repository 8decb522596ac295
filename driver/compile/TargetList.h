// A list of targets, as commands get it: groups and names, with commas.
#pragma once

#include "backends/Backend.h"
#include "driver/compile/Request.h"

#include <string>
#include <vector>

namespace sextant {

/// The targets that one item of the list means. Each item must give every kernel code.
struct TargetItem {
  std::string text;
  std::vector<Target> targets;
};

/// Takes the texts apart at commas. Throws Refusal.
std::vector<TargetItem> expandTargets(const std::vector<std::string> &texts);

/// Returns every target once, in the order of the list.
std::vector<Target> uniqueTargets(const std::vector<TargetItem> &items);

/// Takes each count-th target, because neighbours take about the same time.
std::vector<Target> partOf(const std::vector<Target> &targets, const TargetShard &shard);

} // namespace sextant
