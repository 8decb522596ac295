// Modules to begin with, made by the packager, and golden ones: of 1.0, and with split packs; some
// signed with the fuzzer's key.
#pragma once

#include <cstddef>
#include <vector>

namespace sextant::fuzz {

inline constexpr unsigned sampleCount = 8;
/// \param number below sampleCount
const std::vector<std::byte> &sampleFile(unsigned number);

} // namespace sextant::fuzz
