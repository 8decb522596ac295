// The cpu backend: kernels as vector code in ELF shared objects.
#pragma once

#include "backends/Backend.h"

namespace sextant {

/// The one instance. It lives as long as the process.
const Backend &cpuBackend();

} // namespace sextant
