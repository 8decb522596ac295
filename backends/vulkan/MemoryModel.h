// The Vulkan memory model, which some extensions demand, in place of GLSL's.
#pragma once

#include "backends/spirv/Spirv.h"

namespace sextant {

/// Returns the words under the Vulkan memory model (SPIR-V 1.6, section 2.18; Vulkan, appendix
/// "Memory Model"). What another thread may read or write is not private to a thread. Barriers,
/// fences and atomics make it available where they release, and visible where they acquire.
spirv::Words withVulkanMemoryModel(const spirv::Words &words);

} // namespace sextant
