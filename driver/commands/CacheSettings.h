// The place of the cache of compiled images and its largest size, from options and environment
// variables.
#pragma once

#include "driver/Environment.h"
#include "driver/cache/RemoteSettings.h"

#include <CLI/App.hpp>
#include <cstdint>
#include <string>

namespace sextant {

/// The options' texts, as on the command line.
struct CacheOptionsText {
  std::string folder, limit, remote;
  bool isOff = false;
};

struct CacheSettings {
  std::string folder; ///< seen from the process; empty: no cache
  uint64_t limit = 0; ///< bytes; 0: no limit
  std::string secret; ///< hexadecimal; only its holders can create entries; empty: no secret
  RemoteSettings remote;
};

/// --cache-dir, --cache-size, --cache-remote, --no-cache.
void addCacheOptions(CLI::App &command, CacheOptionsText &options);
/// Reads the options, or else SEXTANT_CACHE_DIR and SEXTANT_CACHE_SIZE. Without a folder there is
/// no cache; without a size the limit is 2 GiB. SEXTANT_CACHE_REMOTE_SECRET names the secret of the
/// folder's entries, too. SEXTANT_CACHE_REMOTE and the other variables that begin so describe the
/// remote cache. Throws Refusal.
CacheSettings cacheSettings(const CacheOptionsText &options, const Environment &environment);
/// Parses "512", "64K", "500M", "2G", also with "iB" at the end; units are powers of 1024. Throws
/// Refusal.
uint64_t parseByteSize(const std::string &text, const std::string &where);
/// "1.5 MiB"
std::string formatByteSize(uint64_t bytes);

} // namespace sextant
