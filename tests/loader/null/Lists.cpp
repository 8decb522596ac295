// The two lists that name a new device, here with the null device alone: of the loader's devices
// (loader/devices/Devices.cpp) and of target families (loader/format/families/Families.cpp).
#include "NullDevice.h"

namespace sextant {

std::span<const loader::DeviceBackend *const> loader::deviceBackends() {
  static constexpr const DeviceBackend *backends[] = {&nullBackend};
  return backends;
}

std::span<const module::Family *const> module::families() {
  static constexpr const Family *all[] = {&nullFamily};
  return all;
}

} // namespace sextant
