// NVIDIA GPUs through the driver API.
#pragma once

#include "loader/devices/Device.h"

namespace sextant::loader {

extern const DeviceBackend cudaBackend;

} // namespace sextant::loader
