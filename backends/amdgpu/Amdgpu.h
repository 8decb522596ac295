// The amdgpu backend: AMD GPUs from gfx9 on, through LLVM's AMDGPU and lld.
#pragma once

#include "backends/Backend.h"

namespace sextant {

/// The one instance; lives as long as the process.
const Backend &amdgpuBackend();

} // namespace sextant
