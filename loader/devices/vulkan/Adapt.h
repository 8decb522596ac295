// What a driver is given of an image: its words, and what this device can and needs to be
// told. Images hold code alone, so that one serves devices that differ in this.
#pragma once

#include "loader/devices/vulkan/Facts.h"

#include <span>
#include <vector>

namespace sextant::loader::vulkan {

/// Of words that are whole instructions. Floating-point types keep subnormal numbers,
/// infinities, NaN and signed zeros where the device can be told to.
std::vector<uint32_t> adapt(std::span<const uint32_t> words, const Abilities &abilities);

} // namespace sextant::loader::vulkan
