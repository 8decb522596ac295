// Detects this processor, in the names that targets use.
#pragma once

#include <string>

namespace sextant::loader {

/// Returns the best level that the processor and the operating system support: "x86-64-v4" down to
/// "x86-64-v1", or "aarch64".
std::string cpuArch();
/// Returns the vendor's name for the processor, or else the architecture.
std::string cpuModelName();

} // namespace sextant::loader
