// Kernels as people name them: an instance's name, or what `compile --kernel` was told.
#pragma once

#include <string>
#include <vector>

namespace sextant {

/// The one of `instances` that `name` means if it is written as for `compile`; else `name`.
std::string instanceMeant(const std::string &name, const std::vector<std::string> &instances);

} // namespace sextant
