// How far two names are apart. Who guesses decides how far is too far.
#pragma once

#include <cstddef>
#include <string_view>

namespace sextant {

/// How many bytes have to be inserted, left out or replaced to make one of the other (Levenshtein).
size_t editDistance(std::string_view left, std::string_view right);

} // namespace sextant
