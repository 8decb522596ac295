// XXH3-128. xxhash is compiled into this file and Hash64.cpp, so that the library needs only its
// header.
#include "loader/format/Hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>

namespace sextant::module {

std::array<uint8_t, 16> hash128(const void *data, size_t size) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(data, size));
  std::array<uint8_t, 16> bytes{};
  std::copy(std::begin(canonical.digest), std::end(canonical.digest), bytes.begin());
  return bytes;
}

} // namespace sextant::module
