#include "loader/format/Tuning.h"
#include "loader/abi/Features.h"
#include "loader/format/Text.h"
#include "loader/format/families/Family.h"

#include <algorithm>
#include <tuple>

namespace sextant::module {
namespace {

constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

/// Calls `each` with the words of a target's text that are choices: "TILE=64".
template <class Each> void forChoices(std::string_view target, Each each) {
  target = target.substr(0, target.rfind('/'));
  for (size_t plus = target.find('+'); plus != target.npos;) {
    const size_t next = target.find('+', plus + 1);
    const std::string_view feature = target.substr(plus + 1, next - plus - 1);
    if (abi::isChoice(feature))
      each(feature);
    plus = next;
  }
}

/// True if the variant has exactly these choices.
bool hasChoices(const Target &variant, std::string_view measured) {
  size_t wanted = 0;
  bool hasAll = true;
  forChoices(measured, [&](std::string_view choice) {
    ++wanted;
    hasAll &= std::find(variant.features.begin(), variant.features.end(), choice) !=
              variant.features.end();
  });
  const auto isChoice = [](const std::string &feature) { return abi::isChoice(feature); };
  return hasAll && wanted == size_t(std::count_if(variant.features.begin(), variant.features.end(),
                                                  isChoice));
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

/// Finds the verdict that the measurement means on this device.
std::optional<size_t> verdictOf(const Tuned &measured, bool isHere,
                                std::span<const Variant> variants,
                                std::span<const Verdict> verdicts) {
  const auto targetOf = [&](size_t i) -> const Target & {
    return variants[verdicts[i].variant].target;
  };
  for (size_t i = 0; isHere && i < verdicts.size() && verdicts[i].usable; ++i)
    if (isNamed(targetOf(i), measured.target))
      return i;
  const unsigned wave = waveOf(measured.target);
  std::optional<size_t> other;
  for (size_t i = 0; i < verdicts.size() && verdicts[i].usable; ++i) {
    const Target &target = targetOf(i);
    if (verdicts[i].match != verdicts[0].match || target.arch != targetOf(0).arch ||
        !hasChoices(target, measured.target))
      continue;
    if (!other || (targetOf(*other).wave != wave && target.wave == wave))
      other = i;
  }
  return other;
}

} // namespace

std::string_view nextWord(std::string_view &line) {
  line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
  const std::string_view found = line.substr(0, line.find_first_of(blanks));
  line.remove_prefix(found.size());
  return found;
}

std::vector<Tuned> parseTuned(std::string_view text) {
  std::vector<Tuned> all;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.starts_with('#'))
      continue;
    const std::string_view kernel = nextWord(line), device = nextWord(line),
                           target = nextWord(line);
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
  using Candidate = std::pair<Distance, size_t>;
  std::optional<Candidate> passed;
  for (;;) {
    std::optional<Candidate> next;
    for (size_t i = 0; i < tuned.size(); ++i)
      if (tuned[i].kernel == kernel)
        if (const auto distance = distanceOf(tuned[i], *family, device, name))
          if (const Candidate one(*distance, i);
              (!passed || *passed < one) && (!next || one < *next))
            next = one;
    if (!next)
      return std::nullopt;
    const Tuned &from = tuned[next->second];
    const int how = std::get<0>(next->first);
    if (const auto verdict = verdictOf(from, how < 2, variants, verdicts))
      return TunedChoice{*verdict, how == 0   ? joined({"tuned on ", from.name})
                                   : how == 1 ? joined({"tuned on ", from.device, ", ", from.name})
                                              : joined({"tuned on ", from.device, ", ", from.name,
                                                        ", the nearest device that was measured"})};
    passed = next;
  }
}

} // namespace sextant::module
