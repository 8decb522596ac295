// Cooperative matrices (VK_KHR_cooperative_matrix). Vulkan leaves open which lane has which
// component of one. Code that takes components for elements runs where a test has shown them to be.
#pragma once

#include "loader/devices/vulkan/Context.h"

namespace sextant::loader::vulkan {

/// Returns true if the driver multiplies matrices of 16 by 16 by 16 `f16` and `bf16`, and of 16 by
/// 16 by 32 `i8` and `u8`, with sums of 32 bits.
bool hasMatrices(const Instance &instance, VkPhysicalDevice physical);

/// Runs a task that shows where the components of these are. Sets `are` to whether they lie as in
/// the fragments of PTX's `mma.m16n8k16` and `mma.m16n8k32` (PTX ISA 8.5, "Matrix Fragments for
/// mma"), with the two halves of the 16 columns of `b` and of the sums after each other. Takes a
/// millisecond, and the start of the driver's compiler if this is its first task.
sxt_status probeMatrices(Context &context, bool &are);

} // namespace sextant::loader::vulkan
