// AMD's GPUs, by HIP: processors and target IDs.
#include "loader/format/families/Family.h"

#include <algorithm>

namespace sextant::module {

namespace {

// Processors that LLVM's AMDGPU usage page lists, from gfx9 on, and the generic
// processor whose code each runs. gfx908, gfx90a and gfx94x are not of gfx9-generic:
// their families differ in registers and instructions.
constexpr char gfx9[] = "gfx9-generic", gfx9_4[] = "gfx9-4-generic", gfx10_1[] = "gfx10-1-generic",
               gfx10_3[] = "gfx10-3-generic", gfx11[] = "gfx11-generic", gfx12[] = "gfx12-generic";
constexpr AmdProcessor processors[] = {
    {"gfx900", gfx9, false, true},      {"gfx902", gfx9, false, true},
    {"gfx904", gfx9, false, true},      {"gfx906", gfx9, true, true},
    {"gfx908", "", true, true},         {"gfx909", gfx9, false, true},
    {"gfx90a", "", true, true},         {"gfx90c", gfx9, false, true},
    {"gfx940", gfx9_4, true, true},     {"gfx941", gfx9_4, true, true},
    {"gfx942", gfx9_4, true, true},     {"gfx950", gfx9_4, true, true},
    {"gfx1010", gfx10_1, false, true},  {"gfx1011", gfx10_1, false, true},
    {"gfx1012", gfx10_1, false, true},  {"gfx1013", gfx10_1, false, true},
    {"gfx1030", gfx10_3, false, false}, {"gfx1031", gfx10_3, false, false},
    {"gfx1032", gfx10_3, false, false}, {"gfx1033", gfx10_3, false, false},
    {"gfx1034", gfx10_3, false, false}, {"gfx1035", gfx10_3, false, false},
    {"gfx1036", gfx10_3, false, false}, {"gfx1100", gfx11, false, false},
    {"gfx1101", gfx11, false, false},   {"gfx1102", gfx11, false, false},
    {"gfx1103", gfx11, false, false},   {"gfx1150", gfx11, false, false},
    {"gfx1151", gfx11, false, false},   {"gfx1152", gfx11, false, false},
    {"gfx1153", gfx11, false, false},   {"gfx1200", gfx12, false, false},
    {"gfx1201", gfx12, false, false},
};

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

const AmdProcessor *findProcessor(std::string_view name) {
  const auto *found = std::find_if(std::begin(processors), std::end(processors),
                                   [&](const AmdProcessor &one) { return one.name == name; });
  return found == std::end(processors) ? nullptr : found;
}

Fit fitAmd(std::string_view arch, std::string_view /*format*/, std::string_view deviceArch) {
  const TargetId variant = parseTargetId(arch), device = parseTargetId(deviceArch);
  const bool same = variant.processor == device.processor;
  const AmdProcessor *processor = findProcessor(device.processor);
  const bool isGeneric =
      processor && *processor->generic && variant.processor == processor->generic;
  if (!same && !isGeneric)
    return variant.processor.ends_with("-generic")
               ? noFit("covers the processors of ", variant.processor, " alone", deviceArch)
               : noFit("runs on ", arch, " alone", deviceArch);
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
  // Code for the device's very setting before code for any.
  const auto rank = static_cast<unsigned>(variant.modifiers.size());
  if (same)
    return exactFit(rank);
  return {Match::Generic, rank,
          joined({"generic: ", variant.processor, " covers ", device.processor})};
}

std::optional<KnownArch> knownAmd(std::string_view arch) {
  const TargetId id = parseTargetId(arch);
  const AmdProcessor *processor = findProcessor(id.processor);
  // What is known of a generic one holds for all that it covers.
  for (const AmdProcessor &one : processors)
    if (!processor && *one.generic && one.generic == id.processor)
      processor = &one;
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
  if (id.processor.starts_with("gfx9"))
    return KnownArch{"amdgpu", canonical, {64}};
  return KnownArch{"amdgpu", canonical, {32, 64}};
}

constexpr ImageFormat imageFormats[] = {
    {.name = "hsaco", .extension = "hsaco"},
};

} // namespace

std::span<const AmdProcessor> amdProcessors() { return processors; }

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
    .formats = imageFormats,
    .fit = fitAmd,
    .known = knownAmd,
};

} // namespace sextant::module
