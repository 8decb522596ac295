// Finds kernels by the names that people use: an instance's name, or the text that `compile
// --kernel` got.
#pragma once

#include <string>
#include <vector>

namespace sextant {

/// If `name` is written as for `compile`, returns the one of `instances` that it means; otherwise
/// `name`.
std::string instanceMeant(const std::string &name, const std::vector<std::string> &instances);

} // namespace sextant
