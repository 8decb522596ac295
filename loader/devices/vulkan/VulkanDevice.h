// GPUs through Vulkan 1.1 and newer, and processors if there is a driver for them.
#pragma once

#include "loader/devices/Device.h"

namespace sextant::loader {

extern const DeviceBackend vulkanBackend;

} // namespace sextant::loader
