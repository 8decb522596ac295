// Loads shared objects from memory.
#pragma once

#include "loader/devices/Device.h"

namespace sextant::loader {

class Pool;

/// Returns why the system's loader must not see the bytes, or null. It trusts a file to be as long
/// as its headers say, and would fault past the end of a short one.
const char *elfProblem(std::span<const std::byte> bytes);

/// Loads a CPU image. `pool` gets the scratch memory that its tasks need, and must
/// outlive the image.
sxt_status loadElfImage(Pool &pool, std::span<const std::byte> bytes,
                        std::unique_ptr<LoadedImage> &image);

} // namespace sextant::loader
