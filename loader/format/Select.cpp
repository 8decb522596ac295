// Implements the total order of Select.h.
#include "loader/format/Select.h"
#include "loader/abi/Features.h"
#include "loader/format/Text.h"
#include "loader/format/families/Family.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace sextant::module {

namespace {

bool contains(std::span<const std::string> list, std::string_view item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

//===--- Requirements ------------------------------------------------------===//

/// Checks "name>=8.4" or "name" against the device. Returns why the device does not meet it, or "".
std::string lacks(const DeviceFacts &device, std::string_view requirement) {
  const size_t at = requirement.find(">=");
  if (at == requirement.npos)
    return contains(device.features, requirement)
               ? ""
               : joined({"needs the feature '", requirement, "', which the device lacks"});
  const std::string_view name = requirement.substr(0, at);
  const std::string_view bound = requirement.substr(at + 2);
  const size_t dot = bound.find('.');
  const std::optional<unsigned> major = parseNumber(bound.substr(0, dot));
  const std::optional<unsigned> minor =
      dot == bound.npos ? std::optional<unsigned>(0) : parseNumber(bound.substr(dot + 1));
  if (!major || !minor)
    return joined(
        {"has the requirement '", requirement, "', which this version does not understand"});
  for (const FactNumber &fact : device.numbers)
    if (fact.name == name) {
      if (fact.major > *major || (fact.major == *major && fact.minor >= *minor))
        return "";
      return joined({"needs ", requirement, "; the device has ",
                     dot == bound.npos ? message("%u", fact.major)
                                       : message("%u.%u", fact.major, fact.minor)});
    }
  return joined({"needs ", requirement, "; the device has no such thing"});
}

/// Returns true if images of the family's code may have the format.
bool hasFormat(const Family &family, std::string_view format) {
  return std::any_of(family.formats.begin(), family.formats.end(),
                     [&](const ImageFormat &one) { return one.name == format; });
}

Fit fitOn(const DeviceFacts &device, const Variant &variant) {
  const Target &target = variant.target;
  if (target.backend != device.backend)
    return {Match::None, 0,
            joined({"is code for ", target.backend, "; the device is ", device.backend})};
  const Family *family = findFamily(target.backend);
  if (!family || !hasFormat(*family, variant.format))
    return {Match::None, 0,
            joined({"is in the format '", variant.format, "', which this version does not run"})};
  return family->fit(target.arch, variant.format, device.arch);
}

size_t waveOrder(const DeviceFacts &device, unsigned wave) {
  return static_cast<size_t>(std::find(device.waves.begin(), device.waves.end(), wave) -
                             device.waves.begin());
}

/// True for words that the loader itself decides about.
bool isLoaders(const std::string &feature) {
  return feature == abi::largeArrays || abi::isChoice(feature);
}

/// Returns why a variant cannot run although its architecture fits, or "".
std::string excluded(const DeviceFacts &device, const Variant &variant, const SelectRules &rules) {
  const Target &target = variant.target;
  if (waveOrder(device, target.wave) == device.waves.size()) {
    std::string sizes;
    for (unsigned wave : device.waves)
      sizes += message(sizes.empty() ? "%u" : ", %u", wave);
    return message("has waves of %u lanes; the device runs %s", target.wave,
                   sizes.empty() ? "none" : sizes.c_str());
  }
  for (const std::string &feature : target.features)
    if (std::string why; !isLoaders(feature) && !(why = lacks(device, feature)).empty())
      return why;
  for (const std::string &requirement : variant.requirements)
    if (std::string why = lacks(device, requirement); !why.empty())
      return why;
  if (rules.wave != 0 && target.wave != rules.wave)
    return message("has waves of %u lanes; %u are asked for", target.wave, rules.wave);
  if (!rules.pin.empty() && !matches(rules.pin, target))
    return message("is not what the pin '%s' names", rules.pin.c_str());
  for (const std::string &pattern : rules.blocked)
    if (matches(pattern, target))
      return message("is blocked by '%s'", pattern.c_str());
  return "";
}

} // namespace

std::vector<Verdict> select(const DeviceFacts &device, std::span<const Variant> variants,
                            const SelectRules &rules) {
  struct Ranked {
    Verdict verdict;
    unsigned rank = 0;
    size_t wave = 0, features = 0, choices = 0;
  };
  std::vector<Ranked> list;
  for (uint32_t i = 0; i < variants.size(); ++i) {
    const Target &target = variants[i].target;
    Fit fit = fitOn(device, variants[i]);
    Verdict verdict{i, fit.match != Match::None, fit.match, std::move(fit.reason), false};
    if (verdict.usable) {
      if (std::string why = excluded(device, variants[i], rules); !why.empty()) {
        verdict.usable = false;
        verdict.reason = std::move(why);
      } else if (contains(target.features, abi::largeArrays) &&
                 !std::strstr(rules.pin.c_str(), abi::largeArrays)) {
        verdict.usable = false;
        verdict.isLarge = true;
        verdict.reason = "is for launches with more than 2147483647 scalars or iterations";
      }
    }
    // A pin that is a variant's whole name means it, and not the same with more features.
    list.push_back(
        {std::move(verdict), fit.rank, waveOrder(device, target.wave),
         isNamed(target, rules.pin)
             ? SIZE_MAX
             : size_t(std::count_if(target.features.begin(), target.features.end(),
                                    [](const std::string &one) { return !isLoaders(one); })),
         size_t(std::count_if(target.features.begin(), target.features.end(),
                              [](const std::string &one) { return abi::isChoice(one); }))});
  }
  std::sort(list.begin(), list.end(), [](const Ranked &a, const Ranked &b) {
    if (a.verdict.usable != b.verdict.usable)
      return a.verdict.usable;
    if (!a.verdict.usable)
      return a.verdict.variant < b.verdict.variant;
    if (a.verdict.match != b.verdict.match)
      return a.verdict.match < b.verdict.match;
    if (a.rank != b.rank)
      return a.rank > b.rank;
    if (a.wave != b.wave)
      return a.wave < b.wave;
    if (a.features != b.features)
      return a.features > b.features;
    if (a.choices != b.choices)
      return a.choices < b.choices;
    return a.verdict.variant < b.verdict.variant;
  });
  std::vector<Verdict> verdicts;
  verdicts.reserve(list.size());
  for (Ranked &entry : list)
    verdicts.push_back(std::move(entry.verdict));
  return verdicts;
}

/// Returns what to write after --targets= for code that the device runs.
static std::string targetFor(const DeviceFacts &device) {
  const Family *family = findFamily(device.backend);
  if (family && family->version)
    return device.backend;
  return device.arch.substr(0, device.arch.find(':')); // without a target ID's modifiers
}

std::string whyNone(const DeviceFacts &device, const Kernel &kernel,
                    std::span<const Verdict> verdicts) {
  std::string text = message("kernel '%s' has no variant for %s:%s", kernel.instance.c_str(),
                             device.backend.c_str(), device.arch.c_str());
  bool isAnyForBackend = false, isAnyByRule = false;
  for (const Verdict &verdict : verdicts) {
    if (verdict.variant >= kernel.variants.size())
      continue;
    const Target &target = kernel.variants[verdict.variant].target;
    if (target.backend != device.backend)
      continue;
    isAnyForBackend = true;
    isAnyByRule |= verdict.match != Match::None;
    text += message("; %s %s", str(target).c_str(), verdict.reason.c_str());
  }
  for (const RefusedTarget &refusal : kernel.refusals) {
    if (refusal.target.backend != device.backend)
      continue;
    isAnyForBackend = true;
    text += message("; %s was left out: %s", str(refusal.target).c_str(), refusal.reason.c_str());
  }
  if (!isAnyForBackend)
    text += message("; the module holds no %s code for it at all", device.backend.c_str());
  return joined({text, isAnyByRule ? "; loosen the pin, block or wave, or compile" : "; compile",
                 " with --targets=", targetFor(device)});
}

namespace {
/// Parses `[head][+feature…][/waveN]`, where head is `[backend:]arch` or a part of it.
struct Pattern {
  std::string_view backend, arch; ///< both from a head without colon
  bool hasColon = false;
  std::vector<std::string_view> features;
  std::optional<unsigned> wave;
  bool valid = true;
};

/// Returns the '+' at which the next feature begins. In a target ID such as `gfx90a:xnack+` the
/// sign is a modifier and begins no feature: the text ends there, or a ':' or another '+' follows.
size_t findFeature(std::string_view text, size_t from) {
  for (size_t at = text.find('+', from); at != text.npos; at = text.find('+', at + 1))
    if (at + 1 < text.size() && text[at + 1] != ':' && text[at + 1] != '+')
      return at;
  return text.npos;
}

Pattern parsePattern(std::string_view text) {
  Pattern pattern;
  if (const size_t slash = text.rfind('/'); slash != text.npos) {
    const std::string_view wave = text.substr(slash + 1);
    pattern.wave = wave.starts_with("wave") ? parseNumber(wave.substr(4)) : std::nullopt;
    pattern.valid = pattern.wave.has_value();
    text = text.substr(0, slash);
  }
  size_t plus = findFeature(text, 0);
  std::string_view head = text.substr(0, plus);
  while (plus != text.npos) {
    const size_t next = findFeature(text, plus + 1);
    pattern.features.push_back(
        text.substr(plus + 1, next == text.npos ? text.npos : next - plus - 1));
    plus = next;
  }
  // The colon of `gfx90a:xnack+` does not follow a backend.
  const size_t colon = head.starts_with("gfx") ? head.npos : head.find(':');
  pattern.hasColon = colon != head.npos;
  pattern.backend = head.substr(0, colon);
  pattern.arch = pattern.hasColon ? head.substr(colon + 1) : head;
  return pattern;
}
} // namespace

bool matches(std::string_view text, const Target &target) {
  const Pattern pattern = parsePattern(text);
  if (!pattern.valid || (pattern.wave && *pattern.wave != target.wave))
    return false;
  for (std::string_view feature : pattern.features)
    if (!contains(target.features, feature))
      return false;
  if (pattern.hasColon)
    return pattern.backend == target.backend &&
           (pattern.arch.empty() || isArch(target.arch, pattern.arch));
  return pattern.arch.empty() || isArch(target.arch, pattern.arch) ||
         pattern.arch == target.backend;
}

std::optional<DeviceFacts> factsOf(std::string_view target) {
  const Pattern pattern = parsePattern(target);
  if (!pattern.valid || !pattern.features.empty())
    return std::nullopt;
  std::optional<KnownArch> known =
      knownArch(pattern.hasColon ? pattern.backend : std::string_view(), pattern.arch);
  if (!known)
    return std::nullopt;
  DeviceFacts facts;
  facts.backend = std::move(known->backend);
  facts.arch = std::move(known->arch);
  facts.waves = std::move(known->waves);
  const Family &family = *findFamily(facts.backend);
  for (const NumberWord &number : family.numbers)
    if (number.isDrivers)
      facts.numbers.push_back({number.name, number.major, number.minor});
  if (!pattern.wave)
    return facts;
  if (family.hasAnyWave) { // a device of that size
    if (*pattern.wave < 4 || *pattern.wave > 128 || !std::has_single_bit(*pattern.wave))
      return std::nullopt;
    facts.waves = {*pattern.wave};
    return facts;
  }
  const auto at = std::find(facts.waves.begin(), facts.waves.end(), *pattern.wave);
  if (at == facts.waves.end())
    return std::nullopt;
  std::rotate(facts.waves.begin(), at, at + 1);
  return facts;
}

void SelectRules::block(std::string_view list) {
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    if (comma)
      blocked.emplace_back(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
}

} // namespace sextant::module
