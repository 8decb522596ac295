// A folder of compiled images that compiler processes share, also at once: entries by
// key, checked when they are read, and the least recently used ones removed when the
// folder grows too large. A cache only saves time: nothing that goes wrong in here
// fails a compilation.
//
//   CACHEDIR.TAG      keeps backups away
//   lock, totals      entries, bytes, hits and misses so far; changed under the lock
//   ab/cdef…          an entry: the hash of its key and bytes, and its bytes; the modification
//                     time is that of the last use
//   ab/tmp-…          an entry that is being written
#pragma once

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
};

/// Thread-safe, and safe with other processes on the same folder.
class CacheFolder {
public:
  /// The folder is made when the first entry is stored. \param limit bytes; 0: none
  CacheFolder(std::string path, uint64_t limit) : path(std::move(path)), limit(limit) {}

  /// The bytes stored under `key` (hexadecimal, at least 8 digits), and a use of them. An entry
  /// that is damaged, or was stored under another key, is removed and is none.
  std::optional<std::string> find(const std::string &key);
  /// Stores an entry, all of it or nothing. After the first failure nothing is stored any more.
  void store(const std::string &key, std::string_view bytes);
  void countMiss() { ++misses; }
  /// Adds this run to the totals; trims the folder if it passes its limit.
  void finish();

  uint64_t hitCount() const { return hits; }
  uint64_t missCount() const { return misses; }
  /// Why entries could not be stored; empty: no problem.
  std::string problem() const;
  const std::string &folder() const { return path; }

private:
  std::string entryPath(const std::string &key) const;

  std::string path;
  uint64_t limit;
  std::atomic<uint64_t> hits = 0, misses = 0, newEntries = 0, newBytes = 0;
  std::atomic<bool> isBroken = false;
  mutable std::mutex mutex;
  std::string firstProblem; ///< under the mutex
};

/// What is in the folder, counted, with the hits and misses so far.
CacheTotals cacheTotals(const std::string &folder);
/// Removes what was used least recently until at most `limit` bytes are left, and what
/// compilers that died left behind. Returns what is left.
CacheTotals trimCache(const std::string &folder, uint64_t limit);
/// Removes every entry and the counts; files that are not the cache's stay.
CacheTotals clearCache(const std::string &folder);

} // namespace sextant
