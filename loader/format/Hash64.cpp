// XXH3-64, built small: it takes names and records. (XXH3-128 of whole packs is built for speed.)
#include "loader/format/Hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace sextant::module {

uint64_t hash64(const void *data, size_t size, uint64_t seed) {
  return XXH3_64bits_withSeed(data, size, seed);
}

} // namespace sextant::module
