// The GPUs of Apple systems, through Metal.
#pragma once

#include "loader/devices/Device.h"

namespace sextant::loader {

extern const DeviceBackend metalBackend;

} // namespace sextant::loader
