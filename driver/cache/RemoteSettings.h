// The commands' part of the remote cache (RemoteCache.h): where it is, and what came of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace sextant {

struct RemoteSettings {
  std::string url;    ///< http:// or https://, without a slash at the end; empty: none
  std::string header; ///< a line for every request, `Authorization: Bearer …`; or empty
  /// A file of PEM certificates, of those who sign the server's; empty: the system's.
  std::string authorities;
  bool isReadOnly = false; ///< nothing is sent
  /// How long one build waits for the server, in all.
  std::chrono::milliseconds wait{5000};
};

/// How many entries one build fetched from and sent to the remote cache.
struct RemoteUse {
  uint64_t hits = 0;   ///< taken from the server
  uint64_t misses = 0; ///< the server did not have them
  uint64_t errors = 0; ///< failed requests, and answers that were not the entry
  uint64_t sent = 0;
};

} // namespace sextant
