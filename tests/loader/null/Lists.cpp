// The two lists that name a new device, here with only the null device: of the loader's devices
// (loader/devices/Devices.cpp) and of target families (loader/format/families/Families.cpp).
#include "NullDevice.h"

const sxt_backend *const sxt_backends[] = {&nullBackend, nullptr};

namespace sextant {

std::span<const module::Family *const> module::families() {
  static constexpr const Family *all[] = {&nullFamily};
  return all;
}

} // namespace sextant
