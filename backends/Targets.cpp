// Parsing and printing of target strings.
#include "backends/Targets.h"
#include "backends/Errors.h"

#include "frontend/spelling/EditDistance.h"
#include "frontend/spelling/Suggestion.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace llvm;

namespace sextant {

std::string Target::str() const {
  std::string text = backend + ":" + arch;
  for (const std::string &feature : features)
    text += "+" + feature;
  return text + "/wave" + std::to_string(wave);
}

std::vector<std::string> nearMatches(StringRef word, ArrayRef<std::string> candidates) {
  std::vector<std::pair<size_t, std::string>> ranked;
  for (const std::string &candidate : candidates) {
    // Up to half of the letters may be wrong.
    const size_t distance = editDistance(word.lower(), StringRef(candidate).lower());
    if (distance <= std::max<size_t>(1, word.size() / 2))
      ranked.push_back({distance, candidate});
  }
  llvm::sort(ranked);
  std::vector<std::string> nearest;
  for (const auto &[distance, candidate] : ranked)
    if (nearest.size() < 3 && !is_contained(nearest, candidate))
      nearest.push_back(candidate);
  return nearest;
}

} // namespace sextant

using namespace sextant;

namespace {

/// One item of the list, split into its parts.
struct Item {
  StringRef text;    ///< as written, for messages
  StringRef backend; ///< before the colon, or empty
  StringRef arch;    ///< an architecture or a short name
  std::vector<std::string> features;
  enum { Default, One, All } waves = Default;
  unsigned wave = 0;
};

struct ArchOf {
  const Backend *backend;
  Arch arch;
};

std::string didYouMean(StringRef word, ArrayRef<std::string> candidates) {
  if (std::string name = ourTargetName({word.data(), word.size()}); !name.empty())
    return "; did you mean " + name + "?";
  std::vector<std::string> near = nearMatches(word, candidates);
  return near.empty() ? "" : "; did you mean " + join(near, " or ") + "?";
}

bool isArch(StringRef name, ArrayRef<const Backend *> backends) {
  return any_of(backends, [&](const Backend *backend) {
    return any_of(backend->archs(), [&](const Arch &arch) { return arch.name == name; });
  });
}

/// Returns the length of the architecture at the start of `name`, with the settings of a target ID,
/// whose signs begin no feature: `gfx90a:sramecc-:xnack+`.
size_t archLength(StringRef name) {
  size_t at = std::min(name.find_first_of(":+"), name.size());
  while (at < name.size() && name[at] == ':') {
    size_t sign = name.find_first_of("+-", at);
    at = sign == StringRef::npos ? name.size() : sign + 1;
  }
  // If a sign is followed by something else, the backend refuses it.
  return at == name.size() || name[at] == '+' ? at : name.size();
}

Expected<Item> parseItem(StringRef text, ArrayRef<const Backend *> backends) {
  Item item;
  item.text = text;
  auto [name, wave] = text.split('/');
  if (name.size() != text.size()) {
    if (wave == "all-waves") {
      item.waves = Item::All;
    } else if (!wave.consume_front("wave") || wave.getAsInteger(10, item.wave) || !item.wave) {
      return fail("bad wave size in target '" + text +
                  "': write /waveN, as in /wave32, or /all-waves");
    } else {
      item.waves = Item::One;
    }
  }
  // The colon of a target ID does not follow a backend.
  if (auto [head, rest] = name.split(':'); name.contains(':') && !isArch(head, backends)) {
    item.backend = head;
    name = rest;
  }
  item.arch = name.take_front(archLength(name));
  SmallVector<StringRef> parts;
  name.drop_front(item.arch.size()).split(parts, '+');
  for (StringRef feature : drop_begin(parts)) {
    if (feature.empty())
      return fail("empty feature name in target '" + text + "'");
    item.features.push_back(feature.str());
  }
  llvm::sort(item.features);
  item.features.erase(std::unique(item.features.begin(), item.features.end()), item.features.end());
  if (item.arch.empty())
    return fail("target '" + text +
                "' names no architecture: write backend:arch, as in cuda:sm_90");
  return item;
}

void addArchs(const Backend &backend, bool majorOnly, std::vector<ArchOf> &archs) {
  for (const Arch &arch : backend.archs())
    if (arch.major || !majorOnly)
      archs.push_back({&backend, arch});
}

void addNative(const Backend &backend, std::vector<ArchOf> &archs) {
  for (const std::string &name : backend.nativeArchs())
    for (const Arch &arch : backend.archs())
      if (arch.name == name)
        archs.push_back({&backend, arch});
}

Error addNamed(const Backend &backend, StringRef name, std::vector<ArchOf> &archs) {
  for (const Arch &arch : backend.archs()) {
    if (arch.name == name) {
      archs.push_back({&backend, arch});
      return Error::success();
    }
  }
  Expected<std::optional<Arch>> spelt = backend.parseArch(name);
  if (!spelt)
    return spelt.takeError();
  if (*spelt)
    archs.push_back({&backend, **spelt});
  return Error::success();
}

/// Collects every architecture that the item's names stand for.
Expected<std::vector<ArchOf>> findArchs(const Item &item, ArrayRef<const Backend *> backends) {
  std::vector<ArchOf> archs;
  std::vector<std::string> known;
  SmallVector<const Backend *> candidates(backends);
  if (!item.backend.empty()) {
    candidates.clear();
    for (const Backend *backend : backends) {
      known.push_back(backend->name().str());
      if (backend->name() == item.backend)
        candidates.push_back(backend);
    }
    if (candidates.empty())
      return fail("unknown backend '" + item.backend + "' in target '" + item.text + "'" +
                  didYouMean(item.backend, known) + " (this build has " + join(known, ", ") + ")");
    known.clear();
  }
  for (const Backend *backend : candidates) {
    if (item.arch == "all" || item.arch == "all-major")
      addArchs(*backend, item.arch == "all-major", archs);
    else if (item.arch == "native")
      addNative(*backend, archs);
    else if (item.backend.empty() && item.arch == backend->name())
      addArchs(*backend, /*majorOnly=*/true, archs);
    else if (Error error = addNamed(*backend, item.arch, archs))
      return std::move(error);
    if (item.backend.empty())
      known.push_back(backend->name().str());
    for (const Arch &arch : backend->archs())
      known.push_back(arch.name);
  }
  if (!archs.empty())
    return archs;
  if (item.arch == "native")
    return fail("target '" + item.text +
                "': no device of this machine is one that this build knows");
  std::string others = "`sextant targets` lists them all";
  if (!item.backend.empty())
    others = (item.backend + " has " + join(known, ", ")).str();
  known.insert(known.end(), {"native", "all", "all-major"});
  return fail("unknown target '" + item.text + "'" + didYouMean(item.arch, known) + " (" + others +
              ")");
}

/// Returns the wave sizes that the item asks of one architecture; empty if `/waveN` is not legal
/// for it.
std::vector<unsigned> wavesOf(const Item &item, const ArchOf &found) {
  const std::vector<unsigned> &legal = found.arch.waves;
  if (item.waves == Item::One)
    return is_contained(legal, item.wave) || is_contained(found.arch.extraWaves, item.wave)
               ? std::vector<unsigned>{item.wave}
               : std::vector<unsigned>{};
  if (item.waves == Item::All || found.backend->everyWaveByDefault())
    return legal;
  return {legal.front()};
}

std::string listWaves(const Arch &arch) {
  std::string text;
  for (const std::vector<unsigned> *waves : {&arch.waves, &arch.extraWaves})
    for (unsigned wave : *waves)
      text += (text.empty() ? "" : ", ") + std::to_string(wave);
  return text;
}

} // namespace

Expected<std::vector<Target>> sextant::parseTargets(ArrayRef<std::string> texts,
                                                    ArrayRef<const Backend *> backends) {
  std::vector<Target> targets;
  for (const std::string &text : texts) {
    SmallVector<StringRef> items;
    StringRef(text).split(items, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    for (StringRef itemText : items) {
      itemText = itemText.trim();
      if (itemText.empty())
        continue;
      Expected<Item> item = parseItem(itemText, backends);
      if (!item)
        return item.takeError();
      Expected<std::vector<ArchOf>> archs = findArchs(*item, backends);
      if (!archs)
        return archs.takeError();
      bool any = false;
      for (const ArchOf &found : *archs) {
        for (unsigned wave : wavesOf(*item, found)) {
          any = true;
          Target target{found.backend->name().str(), found.arch.name, item->features, wave};
          if (llvm::none_of(targets, [&](const Target &t) { return t.str() == target.str(); }))
            targets.push_back(std::move(target));
        }
      }
      if (!any)
        return fail("target '" + itemText + "': " + archs->front().arch.name + " has no wave of " +
                    Twine(item->wave) + " lanes, but " + listWaves(archs->front().arch));
    }
  }
  if (targets.empty())
    return fail("no target named; `sextant targets` lists them all");
  return targets;
}
