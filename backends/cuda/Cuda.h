// The cuda backend: NVIDIA GPUs from sm_75 on, through LLVM's NVPTX and ptxas.
#pragma once

#include "backends/Backend.h"

namespace sextant {

/// The one instance. It lives as long as the process.
const Backend &cudaBackend();

} // namespace sextant
