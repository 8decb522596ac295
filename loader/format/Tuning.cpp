#include "loader/format/Tuning.h"
#include "loader/abi/Features.h"
#include "loader/format/Text.h"
#include "loader/format/families/Family.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace sextant::module {
namespace {

constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

/// The choices of a variant, in order of their words: "+ITEMS=4+TILE=64".
std::string choicesOf(std::vector<std::string_view> features) {
  std::erase_if(features, [](std::string_view one) { return !abi::isChoice(one); });
  std::sort(features.begin(), features.end());
  std::string text;
  for (const std::string_view one : features)
    text.append("+").append(one);
  return text;
}

std::string choicesOf(const Target &target) {
  return choicesOf({target.features.begin(), target.features.end()});
}

/// The same for a target's text.
std::string choicesOf(std::string_view target) {
  target = target.substr(0, target.rfind('/'));
  std::vector<std::string_view> features;
  for (size_t plus = target.find('+'); plus != target.npos;) {
    const size_t next = target.find('+', plus + 1);
    features.push_back(target.substr(plus + 1, next - plus - 1));
    plus = next;
  }
  return choicesOf(std::move(features));
}

/// The wave size of a target's text; 0: it has none.
unsigned waveOf(std::string_view target) {
  const size_t slash = target.rfind("/wave");
  return slash == target.npos ? 0 : parseNumber(target.substr(slash + 5)).value_or(0);
}

/// How far a device is from the one that was measured; the least is the best. Absent: it tells
/// nothing about this one.
using Distance = std::tuple<int, unsigned, unsigned>;

std::optional<Distance> distanceOf(const Tuned &measured, const Family &family,
                                   const DeviceFacts &device, std::string_view name) {
  const size_t colon = measured.device.find(':');
  if (std::string_view(measured.device).substr(0, colon) != device.backend)
    return std::nullopt;
  const std::string_view arch = std::string_view(measured.device).substr(colon + 1);
  const auto maker = [](std::string_view whole) { return whole.substr(0, whole.find(' ')); };
  if (family.version && maker(measured.name) != maker(name))
    return std::nullopt;
  if (arch == device.arch)
    return Distance(measured.name == name ? 0 : 1, 0, 0);
  if (!family.generation)
    return Distance(2, 0, 0);
  const unsigned there = family.generation(arch), here = family.generation(device.arch);
  return Distance(2, there < here ? here - there : there - here, there);
}

/// Finds the verdicts that measurements mean on this device. A module may have any number of
/// variants and of measurements, so neither is searched for each of the other.
class Meanings {
public:
  Meanings(std::span<const Variant> variants, std::span<const Verdict> verdicts) {
    const Target &first = variants[verdicts[0].variant].target;
    for (size_t i = 0; i < verdicts.size() && verdicts[i].usable; ++i) {
      const Target &target = variants[verdicts[i].variant].target;
      byName.try_emplace(str(target), i);
      if (verdicts[i].match != verdicts[0].match || target.arch != first.arch)
        continue;
      const std::string choices = choicesOf(target);
      byChoices.try_emplace({choices, anyWave}, i);
      byChoices.try_emplace({choices, target.wave}, i);
    }
  }

  /// \param isHere measured on this architecture, so that the very variant may be there
  std::optional<size_t> of(const Tuned &measured, bool isHere) const {
    if (const auto named = byName.find(measured.target); isHere && named != byName.end())
      return named->second;
    const std::string choices = choicesOf(measured.target);
    for (const uint64_t wave : {uint64_t(waveOf(measured.target)), anyWave})
      if (const auto found = byChoices.find({choices, wave}); found != byChoices.end())
        return found->second;
    return std::nullopt;
  }

private:
  static constexpr uint64_t anyWave = UINT64_MAX;
  std::map<std::string, size_t> byName;
  std::map<std::pair<std::string, uint64_t>, size_t> byChoices; ///< and wave size
};

} // namespace

std::string_view nextWord(std::string_view &line) {
  line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
  const std::string_view found = line.substr(0, line.find_first_of(blanks));
  line.remove_prefix(found.size());
  return found;
}

std::vector<Tuned> parseTuned(std::string_view text) {
  text = text.substr(0, maxTunedBytes);
  std::vector<std::pair<std::string_view, std::string_view>> lines; // kernel, rest
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::string_view kernel = nextWord(line);
    if (!kernel.starts_with('#'))
      lines.emplace_back(kernel, line);
  }
  // Those of one kernel stay in their order, which is that of their places in the text.
  std::sort(lines.begin(), lines.end(), [](const auto &a, const auto &b) {
    return a.first != b.first ? a.first < b.first : a.second.data() < b.second.data();
  });
  std::vector<Tuned> all;
  for (auto &[kernel, line] : lines) {
    const std::string_view device = nextWord(line), target = nextWord(line);
    if (!target.empty() && device.find(':') != device.npos)
      all.push_back({std::string(kernel), std::string(device), std::string(target),
                     std::string(trimmed(line))});
  }
  return all;
}

std::string textOf(std::span<const Tuned> tuned) {
  std::string text =
      "# KERNEL DEVICE TARGET NAME: the fastest variants that `sextant tune` found\n";
  for (const Tuned &one : tuned)
    text += joined({one.kernel, " ", one.device, " ", one.target, " ", one.name, "\n"});
  return text;
}

std::optional<TunedChoice> chooseTuned(std::span<const Tuned> tuned, std::string_view kernel,
                                       const DeviceFacts &device, std::string_view name,
                                       std::span<const Variant> variants,
                                       std::span<const Verdict> verdicts) {
  const Family *family = findFamily(device.backend);
  if (!family || verdicts.empty() || !verdicts[0].usable)
    return std::nullopt;
  // The nearest measurement that means a variant of this device. Mostly the first one does.
  std::vector<std::pair<Distance, const Tuned *>> candidates;
  const auto first = std::lower_bound(
      tuned.begin(), tuned.end(), kernel,
      [](const Tuned &one, std::string_view wanted) { return one.kernel < wanted; });
  for (auto one = first; one != tuned.end() && one->kernel == kernel; ++one)
    if (const auto distance = distanceOf(*one, *family, device, name))
      candidates.emplace_back(*distance, &*one);
  if (candidates.empty())
    return std::nullopt;
  std::sort(candidates.begin(), candidates.end());
  const Meanings meanings(variants, verdicts);
  for (const auto &[distance, from] : candidates) {
    const int how = std::get<0>(distance);
    if (const auto verdict = meanings.of(*from, how < 2))
      return TunedChoice{*verdict, how == 0 ? joined({"tuned on ", from->name})
                                   : how == 1
                                       ? joined({"tuned on ", from->device, ", ", from->name})
                                       : joined({"tuned on ", from->device, ", ", from->name,
                                                 ", the nearest device that was measured"})};
  }
  return std::nullopt;
}

} // namespace sextant::module
