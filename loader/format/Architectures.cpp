// The table of Architectures.h, backend by backend.
#include "loader/format/Architectures.h"

#include <algorithm>
#include <charconv>

namespace sextant::module {

std::optional<unsigned> parseNumber(std::string_view text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (std::string_view part : parts)
    text += part;
  return text;
}

std::string_view nameOf(Match match) {
  constexpr std::string_view names[] = {"exact", "compatible", "generic", "portable", "none"};
  return names[static_cast<unsigned>(match)];
}

namespace {

Fit exact(unsigned rank) { return {Match::Exact, rank, "exact architecture"}; }

Fit compatible(unsigned rank, std::string_view arch, std::string_view device) {
  return {Match::Compatible, rank, joined({"compatible: ", device, " runs ", arch, " code"})};
}

/// "WHAT ARCH SUFFIX; the device is DEVICE"
Fit none(std::string_view what, std::string_view arch, std::string_view suffix,
         std::string_view device) {
  return {Match::None, 0, joined({what, arch, suffix, "; the device is ", device})};
}

//===--- CUDA --------------------------------------------------------------===//

struct CudaArch {
  bool isVirtual = false; ///< compute_XY: PTX
  unsigned number = 0;    ///< 10 X + Y
  char suffix = 0;        ///< 'a', 'f' or none
  unsigned major() const { return number / 10; }
};

std::optional<CudaArch> parseCuda(std::string_view arch) {
  CudaArch result;
  if (arch.starts_with("sm_")) {
    arch.remove_prefix(3);
  } else if (arch.starts_with("compute_")) {
    arch.remove_prefix(8);
    result.isVirtual = true;
  } else {
    return std::nullopt;
  }
  if (!arch.empty() && (arch.back() == 'a' || arch.back() == 'f')) {
    result.suffix = arch.back();
    arch.remove_suffix(1);
  }
  result.number = parseNumber(arch).value_or(0);
  if (result.number < 10 || result.number > 9999)
    return std::nullopt;
  return result;
}

/// Chips whose code other chips of the same generation do not run, nor they theirs.
bool isTegra(const CudaArch &arch) {
  constexpr unsigned tegra[] = {53, 62, 72, 87, 101, 110};
  return std::find(std::begin(tegra), std::end(tegra), arch.number) != std::end(tegra);
}

Fit fitCuda(std::string_view arch, bool isPtx, std::string_view deviceArch) {
  std::optional<CudaArch> variant = parseCuda(arch);
  const std::optional<CudaArch> device = parseCuda(deviceArch);
  if (!variant || !device)
    return none("is for ", arch, "", deviceArch);
  variant->isVirtual |= isPtx;
  const unsigned suffixRank = variant->suffix == 'a' ? 2 : variant->suffix == 'f' ? 1 : 0;
  const unsigned rank = variant->number * 4 + suffixRank;
  const bool same = variant->number == device->number;
  const bool family = variant->major() == device->major() && variant->number <= device->number;
  if (variant->isVirtual) {
    const bool runs = variant->suffix == 'a'   ? same
                      : variant->suffix == 'f' ? family
                                               : variant->number <= device->number;
    if (runs)
      return {Match::Portable, rank,
              joined({"portable: the driver compiles ", arch, " code for the device"})};
    return none("needs ", arch, variant->suffix == 'a' ? " exactly" : " or newer", deviceArch);
  }
  if (same)
    return exact(rank);
  if (variant->suffix == 'a' || isTegra(*variant) || isTegra(*device))
    return none("runs on ", arch, " alone", deviceArch);
  if (family)
    return compatible(rank, arch, deviceArch);
  if (variant->major() == device->major())
    return none("needs ", arch, " or newer", deviceArch);
  return none("is machine code of another generation, ", arch, "", deviceArch);
}

//===--- AMD ---------------------------------------------------------------===//

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

Fit fitAmd(std::string_view arch, std::string_view deviceArch) {
  const TargetId variant = parseTargetId(arch), device = parseTargetId(deviceArch);
  const bool same = variant.processor == device.processor;
  const AmdProcessor *processor = findProcessor(device.processor);
  const bool isGeneric =
      processor && *processor->generic && variant.processor == processor->generic;
  if (!same && !isGeneric)
    return variant.processor.ends_with("-generic")
               ? none("covers the processors of ", variant.processor, " alone", deviceArch)
               : none("runs on ", arch, " alone", deviceArch);
  for (std::string_view modifier : variant.modifiers) {
    if (holds(device.modifiers, modifier))
      continue;
    const std::string_view setting = settingOf(modifier);
    for (std::string_view other : device.modifiers)
      if (settingOf(other) == setting)
        return none("is built for ", modifier, "", deviceArch);
    return {Match::None, 0,
            joined({"is built for ", modifier, "; the device, ", deviceArch, ", does not say"})};
  }
  // Code for the device's very setting before code for any.
  const auto rank = static_cast<unsigned>(variant.modifiers.size());
  if (same)
    return exact(rank);
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

//===--- Versions: Vulkan, Metal -------------------------------------------===//

struct Version {
  unsigned major = 0, minor = 0;
  auto operator<=>(const Version &) const = default;
};

std::optional<Version> parseVersion(std::string_view text) {
  const size_t dot = text.find('.');
  if (dot == text.npos)
    return std::nullopt;
  const std::optional<unsigned> major = parseNumber(text.substr(0, dot));
  const std::optional<unsigned> minor = parseNumber(text.substr(dot + 1));
  if (!major || !minor || *major == 0 || *major > 99 || *minor > 99)
    return std::nullopt;
  return Version{*major, *minor};
}

Fit fitVersion(std::string_view language, std::string_view arch, std::string_view deviceArch) {
  const std::optional<Version> variant = parseVersion(arch), device = parseVersion(deviceArch);
  if (!variant || !device)
    return none("is for ", arch, "", deviceArch);
  const unsigned rank = variant->major * 100 + variant->minor;
  if (*variant == *device)
    return exact(rank);
  if (*variant < *device)
    return {Match::Portable, rank,
            joined({"portable: ", language, " ", deviceArch, " runs ", arch, " code"})};
  return {Match::None, 0, joined({"needs ", language, " ", arch, "; the device has ", deviceArch})};
}

//===--- CPU ---------------------------------------------------------------===//

/// N of x86-64-vN, 0 for others.
unsigned x86Level(std::string_view arch) {
  if (arch == "x86-64")
    return 1;
  if (!arch.starts_with("x86-64-v"))
    return 0;
  return parseNumber(arch.substr(8)).value_or(0);
}

Fit fitCpu(std::string_view arch, std::string_view deviceArch) {
  const unsigned variant = x86Level(arch), device = x86Level(deviceArch);
  if (arch == deviceArch)
    return exact(variant);
  if (variant != 0 && variant < device)
    return compatible(variant, arch, deviceArch);
  return none("needs ", arch, "", deviceArch);
}

} // namespace

//===--- All ---------------------------------------------------------------===//

std::span<const AmdProcessor> amdProcessors() { return processors; }

Fit fitOf(std::string_view backend, std::string_view arch, std::string_view format,
          std::string_view deviceArch) {
  if (backend == "cuda")
    return fitCuda(arch, format == "ptx", deviceArch);
  if (backend == "amdgpu")
    return fitAmd(arch, deviceArch);
  if (backend == "vulkan")
    return fitVersion("Vulkan", arch, deviceArch);
  if (backend == "metal")
    return fitVersion("Metal", arch, deviceArch);
  if (backend == "cpu")
    return fitCpu(arch, deviceArch);
  return arch == deviceArch ? exact(0) : none("needs ", arch, "", deviceArch);
}

std::optional<KnownArch> knownArch(std::string_view backend, std::string_view arch) {
  const auto isFor = [&](std::string_view name) { return backend.empty() || backend == name; };
  if (isFor("cpu") && ((x86Level(arch) >= 1 && x86Level(arch) <= 4) || arch == "aarch64"))
    return KnownArch{"cpu", std::string(arch), {32, 16, 8, 64, 4, 1}};
  if (isFor("cuda"))
    if (const std::optional<CudaArch> cuda = parseCuda(arch))
      return KnownArch{"cuda", "sm_" + std::to_string(cuda->number), {32}};
  if (isFor("amdgpu"))
    if (std::optional<KnownArch> amd = knownAmd(arch))
      return amd;
  // Bare numbers could be either's.
  if (backend == "vulkan" || backend == "metal")
    if (parseVersion(arch))
      return KnownArch{std::string(backend), std::string(arch), {32}};
  return std::nullopt;
}

bool isArch(std::string_view arch, std::string_view named) {
  if (arch == named)
    return true;
  const TargetId whole = parseTargetId(arch), part = parseTargetId(named);
  return whole.processor == part.processor &&
         std::includes(whole.modifiers.begin(), whole.modifiers.end(), part.modifiers.begin(),
                       part.modifiers.end());
}

} // namespace sextant::module
