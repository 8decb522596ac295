// Entries and totals, as CacheFolder.h describes them.
#include "driver/cache/CacheFolder.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <ctime>
#include <sstream>
#include <tuple>
#include <vector>

namespace sextant {
using namespace std::chrono_literals;
namespace {

/// The largest entry that is stored or read.
constexpr uint64_t maxEntryBytes = uint64_t(256) << 20;
/// The largest file of totals that is read.
constexpr uint64_t maxTotalsBytes = 4096;
/// How long a build waits for the lock, for the sake of its counts; and a command whose purpose it
/// is.
constexpr auto buildPatience = 2s, commandPatience = 10s;
constexpr const char *tag =
    "Signature: 8a477f597d28d172789f06886806bc55\n# Images compiled by sextant\n";

/// A file takes whole blocks.
uint64_t onDisk(uint64_t bytes) { return (bytes + 4095) / 4096 * 4096; }

bool isHex(const std::string &name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), llvm::isHexDigit);
}

// Entries lie in groups, by the first two digits.
std::string groupOf(const std::string &key) { return key.substr(0, 2); }
std::string fileOf(const std::string &key) { return key.substr(2); }

//===--- The whole folder --------------------------------------------------===//

struct Entry {
  std::string group, name;
  uint64_t bytes;
  std::pair<time_t, long> used; ///< seconds, nanoseconds
};

struct Contents {
  std::vector<Entry> entries, unfinished;
  uint64_t bytes() const {
    uint64_t sum = 0;
    for (const Entry &entry : entries)
      sum += onDisk(entry.bytes);
    return sum;
  }
};

/// Other processes change the folder meanwhile, so an unreadable file counts as absent.
Contents listFolder(const OwnFolder &folder) {
  Contents contents;
  for (const std::string &groupName : folder.names()) {
    if (groupName.size() != 2 || !isHex(groupName))
      continue;
    const OwnFolder group = folder.sub(groupName);
    for (const std::string &name : group.names()) {
      const bool isUnfinished = name.starts_with("tmp-");
      if (!isUnfinished && !isHex(name))
        continue;
      if (const std::optional<struct stat> status = group.find(name))
        (isUnfinished ? contents.unfinished : contents.entries)
            .push_back({groupName,
                        name,
                        static_cast<uint64_t>(status->st_size),
                        {status->st_mtim.tv_sec, status->st_mtim.tv_nsec}});
    }
  }
  return contents;
}

/// The counts by their words in the file.
std::array<std::pair<const char *, uint64_t CacheTotals::*>, 8> rowsOfTotals() {
  return {{{"entries", &CacheTotals::entries},
           {"bytes", &CacheTotals::bytes},
           {"hits", &CacheTotals::hits},
           {"misses", &CacheTotals::misses},
           {"remote-hits", &CacheTotals::remoteHits},
           {"remote-misses", &CacheTotals::remoteMisses},
           {"remote-errors", &CacheTotals::remoteErrors},
           {"remote-sent", &CacheTotals::remoteSent}}};
}

/// Words that are missing, or that a later version wrote, count nothing.
CacheTotals readTotals(const OwnFolder &folder) {
  CacheTotals totals;
  std::istringstream text(folder.read("totals", maxTotalsBytes));
  std::string word;
  for (uint64_t value = 0; text >> word >> value;)
    for (const auto &[name, member] : rowsOfTotals())
      if (word == name)
        totals.*member = value;
  return totals;
}

void writeTotals(const OwnFolder &folder, const CacheTotals &totals) {
  std::string text;
  for (const auto &[name, member] : rowsOfTotals())
    text += (text.empty() ? "" : " ") + std::string(name) + " " + std::to_string(totals.*member);
  // They help trimming and people, no more.
  (void)folder.replace("totals", text + "\n");
}

/// The caller holds the lock. Trims to four fifths of the limit, so that not every run has to trim.
CacheTotals trimTo(const OwnFolder &folder, uint64_t limit) {
  Contents contents = listFolder(folder);
  for (const Entry &entry : contents.unfinished)
    if (std::time(nullptr) - entry.used.first > 3600)
      (void)folder.sub(entry.group).remove(entry.name);
  std::vector<Entry> &entries = contents.entries;
  std::sort(entries.begin(), entries.end(), [](const Entry &left, const Entry &right) {
    return std::tie(left.used, left.group, left.name) <
           std::tie(right.used, right.group, right.name);
  });
  CacheTotals totals = readTotals(folder);
  totals.bytes = contents.bytes();
  totals.entries = entries.size();
  for (const Entry &entry : entries) {
    if (totals.bytes <= limit)
      break;
    if (!folder.sub(entry.group).remove(entry.name))
      continue;
    totals.bytes -= onDisk(entry.bytes);
    --totals.entries;
  }
  writeTotals(folder, totals);
  return totals;
}

} // namespace

CacheFolder::CacheFolder(std::string path, uint64_t limit, std::string secret)
    : path(std::move(path)), limit(limit), secret(std::move(secret)) {
  const FolderTrouble trouble = OwnFolder(this->path).trouble();
  refused = trouble.isDistrust;
  if (refused)
    firstProblem = {"the cache is not used: " + trouble.what, trouble.fix, true};
}

std::optional<std::string> CacheFolder::find(const EntryName &name) {
  if (refused)
    return std::nullopt;
  const OwnFolder group = OwnFolder(path).sub(groupOf(name.key));
  const std::string fileName = fileOf(name.key);
  const std::optional<OwnFile> file = group.open(fileName);
  if (!file)
    return std::nullopt;
  std::optional<std::string> content;
  std::string entry = file->read(entryHeadBytes);
  if (file->bytes() <= maxEntryBytes && sizeOfEntry(entry) == file->bytes()) {
    entry += file->read(file->bytes() - entry.size());
    content = openEntry(name, entry, secret);
  }
  if (content)
    file->touch();
  else
    (void)group.remove(fileName);
  return content;
}

bool CacheFolder::has(const std::string &key) const {
  return !refused && OwnFolder(path).sub(groupOf(key)).find(fileOf(key)).has_value();
}

void CacheFolder::fail(const FolderTrouble &trouble) {
  std::lock_guard guard(mutex);
  if (!isBroken.exchange(true))
    firstProblem = {"the cache stores nothing: " + trouble.what, trouble.fix};
}

void CacheFolder::store(const EntryName &name, std::string_view bytes) {
  if (refused || isBroken)
    return;
  const std::string whole = sealEntry(name, bytes, secret);
  if (whole.size() > maxEntryBytes)
    return;
  const OwnFolder folder(path, OwnFolder::Missing::IsMade);
  const OwnFolder group = folder.sub(groupOf(name.key), OwnFolder::Missing::IsMade);
  for (const OwnFolder *one : {&folder, &group})
    if (!one->trouble().what.empty())
      return fail(one->trouble());
  if (!folder.find("CACHEDIR.TAG"))
    (void)folder.replace("CACHEDIR.TAG", tag);
  if (const int failure = group.replace(fileOf(name.key), whole))
    return fail({"cannot write to '" + group.path() + "': " + std::strerror(failure),
                 "free some space, or choose another folder by --cache-dir or SEXTANT_CACHE_DIR"});
  ++newEntries;
  newBytes += onDisk(whole.size());
}

FolderTrouble CacheFolder::problem() const {
  std::lock_guard guard(mutex);
  return firstProblem;
}

void CacheFolder::finish(const RemoteUse &remote) {
  const OwnFolder folder(path);
  if (hits + misses == 0 || !folder.isOpen())
    return;
  // Without the lock, because the folder is read-only or others hold it, the totals stay as they
  // are.
  const Descriptor lock = folder.lock("lock", buildPatience);
  if (!lock.isOpen())
    return;
  CacheTotals totals = readTotals(folder);
  totals.entries += newEntries.exchange(0);
  totals.bytes += newBytes.exchange(0);
  totals.hits += hits;
  totals.misses += misses;
  totals.remoteHits += remote.hits;
  totals.remoteMisses += remote.misses;
  totals.remoteErrors += remote.errors;
  totals.remoteSent += remote.sent;
  writeTotals(folder, totals);
  if (limit && totals.bytes > limit)
    trimTo(folder, limit / 5 * 4);
}

CacheTotals cacheTotals(const OwnFolder &folder) {
  CacheTotals totals = readTotals(folder);
  const Contents contents = listFolder(folder);
  totals.entries = contents.entries.size();
  totals.bytes = contents.bytes();
  return totals;
}

std::optional<CacheTotals> trimCache(const OwnFolder &folder, uint64_t limit) {
  const Descriptor lock = folder.lock("lock", commandPatience);
  if (!lock.isOpen())
    return std::nullopt;
  return trimTo(folder, limit);
}

std::optional<CacheTotals> clearCache(const OwnFolder &folder) {
  const Descriptor lock = folder.lock("lock", commandPatience);
  if (!lock.isOpen())
    return std::nullopt;
  trimTo(folder, 0);
  for (const char *name : {"totals", "remote-failed"})
    (void)folder.remove(name);
  return cacheTotals(folder);
}

} // namespace sextant
