// The list of target families: a new one is a file in this folder and a row here.
#include "loader/format/families/Family.h"

namespace sextant::module {

std::span<const Family *const> families() {
  static constexpr const Family *all[] = {&cpuFamily, &cudaFamily, &amdgpuFamily, &vulkanFamily,
                                          &metalFamily};
  return all;
}

} // namespace sextant::module
