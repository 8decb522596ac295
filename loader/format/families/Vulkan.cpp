// Devices with a Vulkan driver: versions of the API.
#include "loader/format/families/Family.h"

namespace sextant::module {

namespace {

Fit fitVulkan(std::string_view arch, std::string_view /*format*/, std::string_view deviceArch) {
  return fitVersion("Vulkan", arch, deviceArch);
}

std::optional<KnownArch> knownVulkan(std::string_view arch) {
  if (isVersion(arch))
    return KnownArch{"vulkan", std::string(arch), {32}};
  return std::nullopt;
}

constexpr ImageFormat vulkanFormats[] = {
    {.name = "spirv", .extension = "spv"},
};
constexpr NumberWord vulkanNumbers[] = {
    {.name = abi::numbers::blockThreads, .major = 1024, .minor = 0},
    {.name = abi::numbers::pushBytes, .major = 128, .minor = 0},
    {.name = abi::numbers::sharedBytes, .major = 32768, .minor = 0},
    {.name = abi::numbers::storageBuffers, .major = 64, .minor = 0},
};

} // namespace

constexpr Family vulkanFamily = {
    .name = "vulkan",
    .device = "vulkan",
    .formats = vulkanFormats,
    .fit = fitVulkan,
    .known = knownVulkan,
    .version = "1.3",
    .hasAnyWave = true,
    .features = abi::vulkanFeatures,
    .numbers = vulkanNumbers,
};

} // namespace sextant::module
