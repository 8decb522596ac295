// AMD GPUs through HIP.
#pragma once

#include "loader/devices/Device.h"

namespace sextant::loader {

extern const DeviceBackend hipBackend;

} // namespace sextant::loader
