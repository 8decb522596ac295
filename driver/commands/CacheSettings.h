// Where the cache of compiled images is and how large it may grow, by options and
// environment variables.
#pragma once

#include "driver/Environment.h"

#include <CLI/App.hpp>
#include <cstdint>
#include <string>

namespace sextant {

/// As on the command line.
struct CacheOptionsText {
  std::string folder, limit;
  bool isOff = false;
};

struct CacheSettings {
  std::string folder; ///< seen from the process; empty: no cache
  uint64_t limit = 0; ///< bytes; 0: none
};

/// --cache-dir, --cache-size, --no-cache.
void addCacheOptions(CLI::App &command, CacheOptionsText &options);
/// Options, else SEXTANT_CACHE_DIR and SEXTANT_CACHE_SIZE; without a folder there is no cache,
/// without a size it has 2 GiB. Throws Refusal.
CacheSettings cacheSettings(const CacheOptionsText &options, const Environment &environment);
/// "512", "64K", "500M", "2G", also with "iB" behind; units of 1024. Throws Refusal.
uint64_t parseByteSize(const std::string &text, const std::string &where);
/// "1.5 MiB"
std::string formatByteSize(uint64_t bytes);

} // namespace sextant
