// GPUs through Vulkan 1.1 and newer; processors too, where a driver for them is there.
#pragma once

#include "loader/devices/Device.h"

namespace sextant::loader {

extern const DeviceBackend vulkanBackend;

} // namespace sextant::loader
