// Shared objects that are loaded from memory.
#pragma once

#include "loader/devices/Device.h"

namespace sextant::loader {

class Pool;

/// Why the system's loader should not see the bytes, or null. It trusts files to be as long
/// as their headers say: past the end of a short one it would fault.
const char *elfProblem(std::span<const std::byte> bytes);

/// Loads a CPU image. `pool` gets the scratch memory that its tasks need, and must
/// outlive the image.
sxt_status loadElfImage(Pool &pool, std::span<const std::byte> bytes,
                        std::unique_ptr<LoadedImage> &image);

} // namespace sextant::loader
