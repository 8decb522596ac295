// CPU images: shared objects that the loader itself maps, relocates and protects.
#pragma once

#include "loader/devices/Device.h"

namespace sextant::loader {

class Pool;

/// Loads a CPU image from memory. The bytes are not needed afterwards.
/// \param pool gets the scratch memory that the image's tasks need, and outlives the image
sxt_status loadElfImage(Pool &pool, std::span<const std::byte> bytes,
                        std::unique_ptr<LoadedImage> &image);

} // namespace sextant::loader
