// Prepares an image for the driver: adds what this device can do and must be told. Images hold only
// code, so that one image serves devices that differ in this.
#pragma once

#include "loader/devices/vulkan/Facts.h"

#include <span>
#include <vector>

namespace sextant::loader::vulkan {

/// `words` must be whole instructions. Floating-point types keep subnormal numbers, infinities, NaN
/// and signed zeros if the device can be told to.
std::vector<uint32_t> adapt(std::span<const uint32_t> words, const Abilities &abilities);

} // namespace sextant::loader::vulkan
