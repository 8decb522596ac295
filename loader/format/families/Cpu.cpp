// The CPU's architectures.
#include "loader/format/families/Family.h"

namespace sextant::module {

namespace {

/// Returns N of x86-64-vN, or 0 for others.
unsigned x86Level(std::string_view arch) {
  if (arch == "x86-64")
    return 1;
  if (!arch.starts_with("x86-64-v"))
    return 0;
  return parseNumber(arch.substr(8)).value_or(0);
}

Fit fitCpu(std::string_view arch, std::string_view /*format*/, std::string_view deviceArch) {
  const unsigned variant = x86Level(arch), device = x86Level(deviceArch);
  if (arch == deviceArch)
    return exactFit(variant);
  if (variant != 0 && variant < device)
    return compatibleFit(variant, arch, deviceArch);
  return noFit("needs ", arch, "", deviceArch);
}

std::optional<KnownArch> knownCpu(std::string_view arch) {
  if ((x86Level(arch) >= 1 && x86Level(arch) <= 4) || arch == "aarch64")
    return KnownArch{"cpu", std::string(arch), {32, 16, 8, 64, 4, 1}};
  return std::nullopt;
}

unsigned cpuGeneration(std::string_view arch) {
  return arch == "aarch64" ? 1000 : x86Level(arch); // apart from each other
}

constexpr ImageFormat cpuFormats[] = {
    {.name = "elf", .extension = "so"},
};

} // namespace

constexpr Family cpuFamily = {
    .name = "cpu",
    .device = "cpu",
    .formats = cpuFormats,
    .fit = fitCpu,
    .known = knownCpu,
    .generation = cpuGeneration,
};

} // namespace sextant::module
