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

/// Words, each with its place in the text that it is from. Sorted, equal words stay in order.
using Words = std::vector<std::pair<std::string_view, size_t>>;

/// The choices of a variant, in order of their words: "+ITEMS=4+TILE=64".
std::string choicesOf(Words features) {
  std::sort(features.begin(), features.end());
  std::string text;
  for (const auto &[word, place] : features)
    if (abi::isChoice(word))
      text.append("+").append(word);
  return text;
}

std::string choicesOf(const Target &target) {
  Words features;
  for (const std::string_view feature : target.features)
    features.emplace_back(feature, 0);
  return choicesOf(std::move(features));
}

/// The same for a target's text.
std::string choicesOf(std::string_view target) {
  target = target.substr(0, target.rfind('/'));
  Words features;
  for (size_t plus = target.find('+'); plus != target.npos;) {
    const size_t next = target.find('+', plus + 1);
    features.emplace_back(target.substr(plus + 1, next - plus - 1), plus);
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
      known.try_emplace(str(target), i);
      if (verdicts[i].match != verdicts[0].match || target.arch != first.arch)
        continue;
      const std::string choices = choicesOf(target);
      known.try_emplace(joined({choices, "/"}), i);
      known.try_emplace(joined({choices, "/", std::to_string(target.wave)}), i);
    }
  }

  /// \param isHere measured on this architecture, so that the very variant may be there
  std::optional<size_t> of(const Tuned &measured, bool isHere) const {
    if (const auto named = known.find(measured.target); isHere && named != known.end())
      return named->second;
    const std::string choices = choicesOf(measured.target);
    for (const std::string &wave : {std::to_string(waveOf(measured.target)), std::string()})
      if (const auto found = known.find(joined({choices, "/", wave})); found != known.end())
        return found->second;
    return std::nullopt;
  }

private:
  /// Keyed by name, by choices and wave size ("+TILE=64/32"), and by choices only ("+TILE=64/").
  /// Names begin with a letter, the others do not.
  std::map<std::string, size_t> known;
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
  Words kernels;
  for (size_t at = 0, end = 0; at < text.size(); at = end + 1) {
    end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    if (const std::string_view kernel = nextWord(line); !kernel.starts_with('#'))
      kernels.emplace_back(kernel, end - line.size());
  }
  std::sort(kernels.begin(), kernels.end());
  std::vector<Tuned> all;
  for (const auto &[kernel, rest] : kernels) {
    std::string_view line = text.substr(rest, text.find('\n', rest) - rest);
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
  const auto first = std::lower_bound(
      tuned.begin(), tuned.end(), kernel,
      [](const Tuned &one, std::string_view wanted) { return one.kernel < wanted; });
  if (first == tuned.end() || first->kernel != kernel)
    return std::nullopt;
  // The nearest measurement that means a variant of this device; of equal ones the first.
  const Meanings meanings(variants, verdicts);
  std::optional<Distance> least;
  const Tuned *from = nullptr;
  size_t verdict = 0;
  for (auto one = first; one != tuned.end() && one->kernel == kernel; ++one) {
    const auto distance = distanceOf(*one, *family, device, name);
    if (!distance || (least && *distance >= *least))
      continue;
    if (const auto found = meanings.of(*one, std::get<0>(*distance) < 2)) {
      least = distance;
      from = &*one;
      verdict = *found;
    }
  }
  if (!from)
    return std::nullopt;
  const int how = std::get<0>(*least);
  return TunedChoice{verdict, how == 0   ? joined({"tuned on ", from->name})
                              : how == 1 ? joined({"tuned on ", from->device, ", ", from->name})
                                         : joined({"tuned on ", from->device, ", ", from->name,
                                                   ", the nearest device that was measured"})};
}

} // namespace sextant::module
