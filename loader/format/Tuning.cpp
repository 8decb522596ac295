#include "loader/format/Tuning.h"
#include "loader/abi/Features.h"
#include "loader/format/Text.h"
#include "loader/format/families/Family.h"

#include <algorithm>
#include <tuple>

namespace sextant::module {
namespace {

/// Returns the next word of a line, or "" at its end.
std::string_view word(std::string_view &line) {
  constexpr std::string_view blanks = " \t\r";
  line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
  const std::string_view found = line.substr(0, line.find_first_of(blanks));
  line.remove_prefix(found.size());
  return found;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
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

bool hasWave(const Target &variant, std::string_view measured) {
  return measured.ends_with("/wave" + std::to_string(variant.wave));
}

/// How far a device is from the one that was measured; the least is the best. Absent: it tells
/// nothing about this one.
using Distance = std::tuple<int, unsigned, unsigned>;

std::optional<Distance> distanceOf(const Tuned &measured, const DeviceFacts &device,
                                   std::string_view name) {
  const size_t colon = measured.device.find(':');
  if (std::string_view(measured.device).substr(0, colon) != device.backend)
    return std::nullopt;
  const std::string_view arch = std::string_view(measured.device).substr(colon + 1);
  const Family *family = findFamily(device.backend);
  if (!family)
    return std::nullopt;
  const auto maker = [](std::string_view whole) { return whole.substr(0, whole.find(' ')); };
  if (family->version && maker(measured.name) != maker(name))
    return std::nullopt;
  if (arch == device.arch)
    return Distance(measured.name == name ? 0 : 1, 0, 0);
  if (!family->generation)
    return Distance(2, 0, 0);
  const unsigned there = family->generation(arch), here = family->generation(device.arch);
  return Distance(2, there < here ? here - there : there - here, there);
}

/// Finds the verdict that the measurement means on this device.
std::optional<size_t> verdictOf(const Tuned &measured, bool isHere,
                                std::span<const Variant> variants,
                                std::span<const Verdict> verdicts) {
  std::optional<size_t> other;
  for (size_t i = 0; i < verdicts.size() && verdicts[i].usable; ++i) {
    const Target &target = variants[verdicts[i].variant].target;
    if (isHere && str(target) == measured.target)
      return i;
    if (verdicts[i].match != verdicts[0].match ||
        target.arch != variants[verdicts[0].variant].target.arch ||
        !hasChoices(target, measured.target))
      continue;
    if (!other || (!hasWave(variants[verdicts[*other].variant].target, measured.target) &&
                   hasWave(target, measured.target)))
      other = i;
  }
  return other;
}

} // namespace

std::vector<Tuned> parseTuned(std::string_view text) {
  std::vector<Tuned> all;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.starts_with('#'))
      continue;
    const std::string_view kernel = word(line), device = word(line), target = word(line);
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
  if (verdicts.empty() || !verdicts[0].usable)
    return std::nullopt;
  std::optional<std::tuple<Distance, size_t, const Tuned *>> best;
  for (const Tuned &one : tuned) {
    if (one.kernel != kernel)
      continue;
    const std::optional<Distance> distance = distanceOf(one, device, name);
    if (!distance || (best && std::get<0>(*best) <= *distance))
      continue;
    const bool isHere = std::get<0>(*distance) < 2;
    if (const auto verdict = verdictOf(one, isHere, variants, verdicts))
      best = {*distance, *verdict, &one};
  }
  if (!best)
    return std::nullopt;
  const auto &[distance, verdict, from] = *best;
  const int how = std::get<0>(distance);
  std::string reason = how == 0   ? joined({"tuned on ", from->name})
                       : how == 1 ? joined({"tuned on ", from->device, ", ", from->name})
                                  : joined({"tuned on ", from->device, ", ", from->name,
                                            ", the nearest device that was measured"});
  return TunedChoice{verdict, std::move(reason)};
}

} // namespace sextant::module
