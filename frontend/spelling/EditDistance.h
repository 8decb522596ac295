// The distance between two names. The caller decides how far is too far.
#pragma once

#include <cstddef>
#include <string_view>

namespace sextant {

/// The number of bytes to insert, remove or replace in order to turn one into the other
/// (Levenshtein).
size_t editDistance(std::string_view left, std::string_view right);

} // namespace sextant
