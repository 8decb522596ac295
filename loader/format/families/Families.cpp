// The list of target families: a new one is a file in this folder and a row here.
#include "loader/format/families/Family.h"

namespace sextant::module {

std::span<const Family *const> families() {
  static constexpr const Family *all[] = {&cpuFamily, &cudaFamily, &amdgpuFamily, &vulkanFamily,
                                          &metalFamily};
  return all;
}

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
