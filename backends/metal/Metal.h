// Apple's GPUs: Metal Shading Language, by SPIR-V and SPIRV-Cross.
#pragma once

#include "backends/Backend.h"

namespace sextant {

const Backend &metalBackend();

} // namespace sextant
