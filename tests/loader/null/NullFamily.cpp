// The target family of the null device: one architecture, images of any text.
#include "NullDevice.h"

namespace sextant::module {

namespace {

constexpr std::string_view onlyArch = "none";

Fit fitNull(std::string_view arch, std::string_view, std::string_view deviceArch) {
  if (arch == deviceArch)
    return exactFit(1);
  return noFit("is for ", arch, "", deviceArch);
}

std::optional<KnownArch> knownNull(std::string_view arch) {
  if (arch == onlyArch)
    return KnownArch{"null", std::string(onlyArch), {32}};
  return std::nullopt;
}

constexpr ImageFormat imageFormats[] = {{.name = "null", .extension = "txt", .isText = true}};

} // namespace

constexpr Family nullFamily = {
    .name = "null", .device = "null", .formats = imageFormats, .fit = fitNull, .known = knownNull};

} // namespace sextant::module
