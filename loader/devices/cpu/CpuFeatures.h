// What this processor is, in the names that targets use.
#pragma once

#include <string>

namespace sextant::loader {

/// "x86-64-v4" down to "x86-64-v1", "aarch64": the best that the processor and the
/// operating system support.
std::string cpuArch();
/// The maker's name for the processor, or the architecture where it has none.
std::string cpuModelName();

} // namespace sextant::loader
