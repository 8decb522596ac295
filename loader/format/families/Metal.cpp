// Apple's GPUs, through Metal: versions of the language.
#include "loader/format/families/Family.h"

namespace sextant::module {

namespace {

Fit fitMetal(std::string_view arch, std::string_view /*format*/, std::string_view deviceArch) {
  return fitVersion("Metal", arch, deviceArch);
}

std::optional<KnownArch> knownMetal(std::string_view arch) {
  if (isVersion(arch))
    return KnownArch{"metal", std::string(arch), {32}};
  return std::nullopt;
}

constexpr ImageFormat metalFormats[] = {
    {.name = "msl", .extension = "metal", .isText = true},
};

} // namespace

constexpr Family metalFamily = {
    .name = "metal",
    .device = "metal",
    .formats = metalFormats,
    .fit = fitMetal,
    .known = knownMetal,
    .version = "3.0",
    .features = abi::metalFeatures,
};

} // namespace sextant::module
