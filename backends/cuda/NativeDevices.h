// The GPUs of this machine, for the target `native`.
#pragma once

#include <string>
#include <vector>

namespace sextant {

/// The architecture of each distinct GPU, as cudaArchs() names it. Empty if there is no driver or
/// no device.
std::vector<std::string> nativeCudaArchs();

} // namespace sextant
