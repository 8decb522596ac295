// The distance between two names. The caller decides how far is too far.
#pragma once

#include <cstddef>
#include <string_view>

namespace sextant {

/// The number of bytes to insert, remove, replace or swap with the next one in order to turn one
/// into the other (optimal string alignment).
size_t editDistance(std::string_view left, std::string_view right);

} // namespace sextant
