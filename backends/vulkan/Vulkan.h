// Devices with a Vulkan driver, by SPIR-V.
#pragma once

#include "backends/Backend.h"

namespace sextant {

const Backend &vulkanBackend();

} // namespace sextant
