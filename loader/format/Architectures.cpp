// Asks the families.
#include "loader/format/Architectures.h"
#include "loader/format/families/Family.h"

namespace sextant::module {

Fit fitOf(std::string_view backend, std::string_view arch, std::string_view format,
          std::string_view deviceArch) {
  if (const Family *family = findFamily(backend))
    return family->fit(arch, format, deviceArch);
  return arch == deviceArch ? exactFit(0) : noFit("needs ", arch, "", deviceArch);
}

std::optional<KnownArch> knownArch(std::string_view backend, std::string_view arch) {
  for (const Family *family : families())
    if (backend.empty() ? !family->version : backend == family->name)
      if (std::optional<KnownArch> known = family->known(arch))
        return known;
  return std::nullopt;
}

} // namespace sextant::module
