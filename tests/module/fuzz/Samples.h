// Modules to begin with, made by the packager, and the golden one of 1.0.
#pragma once

#include <cstddef>
#include <vector>

namespace sextant::fuzz {

inline constexpr unsigned sampleCount = 5;
/// \param number below sampleCount
const std::vector<std::byte> &sampleFile(unsigned number);

} // namespace sextant::fuzz
