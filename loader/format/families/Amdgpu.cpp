// AMD's GPUs, through HIP: target IDs. loader/abi/AmdProcessors.cpp lists the processors.
#include "loader/abi/AmdProcessors.h"
#include "loader/format/families/Family.h"

#include <algorithm>

namespace sextant::module {

namespace {

/// A target ID: a processor and its modifiers, each "xnack+" or "xnack-".
struct TargetId {
  std::string_view processor;
  std::vector<std::string_view> modifiers;
};

TargetId parseTargetId(std::string_view text) {
  TargetId id;
  size_t colon = text.find(':');
  id.processor = text.substr(0, colon);
  while (colon != text.npos) {
    const size_t next = std::min(text.find(':', colon + 1), text.size());
    id.modifiers.push_back(text.substr(colon + 1, next - colon - 1));
    colon = next == text.size() ? text.npos : next;
  }
  std::sort(id.modifiers.begin(), id.modifiers.end());
  return id;
}

std::string_view settingOf(std::string_view modifier) {
  return modifier.substr(0, modifier.empty() ? 0 : modifier.size() - 1);
}

bool holds(const std::vector<std::string_view> &list, std::string_view item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

Fit fitAmd(std::string_view arch, std::string_view /*format*/, std::string_view deviceArch) {
  const TargetId variant = parseTargetId(arch), device = parseTargetId(deviceArch);
  const bool same = variant.processor == device.processor;
  const abi::AmdProcessor *processor = abi::findAmdProcessor(device.processor);
  const bool isGeneric =
      processor && *processor->generic && variant.processor == processor->generic;
  if (!same && !isGeneric)
    return variant.processor.ends_with("-generic")
               ? noFit("covers only the processors of ", variant.processor, "", deviceArch)
               : noFit("runs only on ", arch, "", deviceArch);
  for (std::string_view modifier : variant.modifiers) {
    if (holds(device.modifiers, modifier))
      continue;
    const std::string_view setting = settingOf(modifier);
    for (std::string_view other : device.modifiers)
      if (settingOf(other) == setting)
        return noFit("is built for ", modifier, "", deviceArch);
    return {Match::None, 0,
            joined({"is built for ", modifier, "; the device, ", deviceArch, ", does not say"})};
  }
  // Code for the device's exact setting comes before code for any setting.
  const auto rank = static_cast<unsigned>(variant.modifiers.size());
  if (same)
    return exactFit(rank);
  return {Match::Generic, rank,
          joined({"generic: ", variant.processor, " covers ", device.processor})};
}

std::optional<KnownArch> knownAmd(std::string_view arch) {
  const TargetId id = parseTargetId(arch);
  const abi::AmdProcessor *processor = abi::findAmdProcessor(id.processor);
  if (!processor)
    return std::nullopt;
  std::string canonical(id.processor);
  std::string_view last;
  for (std::string_view modifier : id.modifiers) {
    const std::string_view setting = settingOf(modifier);
    const bool isKnown =
        (setting == "sramecc" && processor->sramecc) || (setting == "xnack" && processor->xnack);
    if (!isKnown || setting == last || (modifier.back() != '+' && modifier.back() != '-'))
      return std::nullopt;
    last = setting;
    canonical += joined({":", modifier});
  }
  if (!processor->hasWave32())
    return KnownArch{"amdgpu", canonical, {64}};
  return KnownArch{"amdgpu", canonical, {32, 64}};
}

/// "gfx90a:xnack+" is 0x90a.
unsigned amdgpuGeneration(std::string_view arch) {
  std::string_view processor = parseTargetId(arch).processor;
  unsigned number = 0;
  for (char digit : processor.substr(std::min<size_t>(3, processor.size()))) {
    const unsigned value = digit >= 'a' ? unsigned(digit - 'a') + 10 : unsigned(digit - '0');
    if (value > 15)
      break;
    number = number * 16 + value;
  }
  return number;
}

constexpr ImageFormat amdgpuFormats[] = {
    {.name = "hsaco", .extension = "hsaco"},
};

} // namespace

bool isArch(std::string_view arch, std::string_view named) {
  if (arch == named)
    return true;
  const TargetId whole = parseTargetId(arch), part = parseTargetId(named);
  return whole.processor == part.processor &&
         std::includes(whole.modifiers.begin(), whole.modifiers.end(), part.modifiers.begin(),
                       part.modifiers.end());
}

constexpr Family amdgpuFamily = {
    .name = "amdgpu",
    .device = "hip",
    .formats = amdgpuFormats,
    .fit = fitAmd,
    .known = knownAmd,
    .generation = amdgpuGeneration,
};

} // namespace sextant::module
