// A folder of compiled images that compiler processes share, also at the same time. It has entries
// by key, which are checked when they are read. When the folder grows too large, the least recently
// used entries are removed. A cache only saves time: no failure in here fails a compilation. A
// folder in which others can write is not used at all (OwnFolder.h).
//
//   CACHEDIR.TAG      keeps backups away
//   lock, totals      entries, bytes, hits and misses so far; changed under the lock
//   remote-failed     that the remote cache has failed: its URL and why (RemoteCache.h)
//   ab/cdef…          an entry (CacheEntry.h); the modification time is that of the last use
//   ab/tmp-…          an entry that is being written
#pragma once

#include "driver/cache/CacheEntry.h"
#include "driver/cache/OwnFolder.h"
#include "driver/cache/RemoteSettings.h"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace sextant {

struct CacheTotals {
  uint64_t entries = 0;
  uint64_t bytes = 0; ///< on disk, in blocks of 4 KiB
  uint64_t hits = 0, misses = 0;
  uint64_t remoteHits = 0, remoteMisses = 0, remoteErrors = 0, remoteSent = 0; ///< as RemoteUse
};

/// Thread-safe, and safe beside other processes that use the same folder.
class CacheFolder {
public:
  /// The folder is made when the first entry is stored. \param limit in bytes; 0: no limit
  /// \param secret seals entries (CacheEntry.h); empty: no secret
  CacheFolder(std::string path, uint64_t limit, std::string secret);

  /// True if others can write to the folder. Then it is as if there were none.
  bool isRefused() const { return refused; }
  /// Returns the bytes that are stored under `name`. An entry that is damaged, or was stored under
  /// another name, is removed and not returned.
  std::optional<std::string> find(const EntryName &name);
  /// Stores an entry, all of it or nothing. After the first failure it stores nothing more.
  void store(const EntryName &name, std::string_view bytes);
  /// Returns true if there is a file for `key`; it may be damaged.
  bool has(const std::string &key) const;
  void countHit() { ++hits; }
  void countMiss() { ++misses; }
  /// Adds this run to the totals; trims the folder if it passes its limit.
  void finish(const RemoteUse &remote);

  uint64_t hitCount() const { return hits; }
  uint64_t missCount() const { return misses; }
  /// Why the folder is not used, or nothing is stored; empty if there was no problem.
  FolderTrouble problem() const;

private:
  void fail(const FolderTrouble &trouble);

  const std::string path;
  const uint64_t limit;
  const std::string secret;
  bool refused = false;
  std::atomic<uint64_t> hits = 0, misses = 0, newEntries = 0, newBytes = 0;
  std::atomic<bool> isBroken = false;
  mutable std::mutex mutex;
  FolderTrouble firstProblem; ///< under the mutex
};

// For a folder that is open. The last two return nothing if others keep it locked.

/// Counts what is in the folder, and reads the hits and misses so far.
CacheTotals cacheTotals(const OwnFolder &folder);
/// Removes the least recently used entries until at most `limit` bytes are left, and files that
/// crashed compilers left behind. Returns what is left.
std::optional<CacheTotals> trimCache(const OwnFolder &folder, uint64_t limit);
/// Removes every entry and the counts. Files that do not belong to the cache stay.
std::optional<CacheTotals> clearCache(const OwnFolder &folder);

} // namespace sextant
