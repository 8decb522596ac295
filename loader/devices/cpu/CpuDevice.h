// The CPU as a device: a thread pool that runs the blocks of CPU images.
#pragma once

#include "loader/devices/Device.h"

namespace sextant::loader {

extern const DeviceBackend cpuBackend;

} // namespace sextant::loader
