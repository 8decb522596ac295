// The vulkan backend: devices with a Vulkan driver, through SPIR-V.
#pragma once

#include "backends/Backend.h"

namespace sextant {

const Backend &vulkanBackend();

} // namespace sextant
