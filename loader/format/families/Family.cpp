// Finds families and image formats by name.
#include "loader/format/families/Family.h"

namespace sextant::module {

const Family *findFamily(std::string_view name) {
  for (const Family *family : families())
    if (family->name == name)
      return family;
  return nullptr;
}

const ImageFormat *findFormat(std::string_view name) {
  for (const Family *family : families())
    for (const ImageFormat &format : family->formats)
      if (format.name == name)
        return &format;
  return nullptr;
}

} // namespace sextant::module
