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

constexpr ImageFormat imageFormats[] = {{"spirv", "spv"}};
constexpr NumberWord numberWords[] = {{abi::numbers::blockThreads, 1024, 0},
                                      {abi::numbers::pushBytes, 128, 0},
                                      {abi::numbers::sharedBytes, 32768, 0},
                                      {abi::numbers::storageBuffers, 64, 0}};

} // namespace

constexpr Family vulkanFamily = {
    .name = "vulkan",
    .device = "vulkan",
    .formats = imageFormats,
    .fit = fitVulkan,
    .known = knownVulkan,
    .version = "1.3",
    .hasAnyWave = true,
    .features = abi::vulkanFeatures,
    .numbers = numberWords,
};

} // namespace sextant::module
