// Entries and totals, as CacheFolder.h describes them. Plain POSIX files: when one process renames
// a file into place, another one sees all of it or nothing.
#include "driver/cache/CacheFolder.h"

#include "driver/cache/CacheEntry.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <random>
#include <sstream>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace sextant {
namespace fs = std::filesystem;
namespace {

/// The largest entry that is stored or read.
constexpr uint64_t maxEntryBytes = uint64_t(1) << 30;
/// A file takes whole blocks.
uint64_t onDisk(uint64_t bytes) { return (bytes + 4095) / 4096 * 4096; }

/// A file descriptor that this object closes.
struct File {
  int descriptor;
  explicit File(int descriptor) : descriptor(descriptor) {}
  File(const File &) = delete;
  ~File() {
    if (descriptor >= 0)
      close(descriptor);
  }
};

std::optional<std::string> readWhole(const std::string &path) {
  // If the path is a pipe, opening does not wait for a writer.
  File file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status{};
  if (file.descriptor < 0 || fstat(file.descriptor, &status) != 0 || !S_ISREG(status.st_mode) ||
      static_cast<uint64_t>(status.st_size) > maxEntryBytes)
    return std::nullopt;
  std::string bytes(static_cast<size_t>(status.st_size), '\0');
  size_t done = 0;
  while (done < bytes.size()) {
    ssize_t count = read(file.descriptor, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      break;
    done += static_cast<size_t>(count);
  }
  bytes.resize(done);
  return bytes;
}

/// Returns 0, or the errno of the failure; then nothing is left behind.
int writeWhole(const std::string &path, std::string_view bytes) {
  File file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (file.descriptor < 0)
    return errno;
  int problem = 0;
  while (!bytes.empty() && !problem) {
    ssize_t count = write(file.descriptor, bytes.data(), bytes.size());
    if (count > 0)
      bytes.remove_prefix(static_cast<size_t>(count));
    else if (count == 0 || errno != EINTR)
      problem = count == 0 ? ENOSPC : errno;
  }
  // Some file systems report a full disk only here.
  if (close(std::exchange(file.descriptor, -1)) != 0 && !problem)
    problem = errno;
  if (problem)
    unlink(path.c_str());
  return problem;
}

/// A name that no other writer uses, on this machine or another one.
std::string temporaryName(const std::string &folder) {
  static std::atomic<uint64_t> counter{uint64_t(std::random_device()()) << 32 ^
                                       std::random_device()()};
  return folder + "/tmp-" + std::to_string(getpid()) + "-" + llvm::utohexstr(counter++);
}

int replaceFile(const std::string &folder, const std::string &path, std::string_view bytes) {
  std::string temporary = temporaryName(folder);
  if (int problem = writeWhole(temporary, bytes))
    return problem;
  if (rename(temporary.c_str(), path.c_str()) != 0) {
    int problem = errno;
    unlink(temporary.c_str());
    return problem;
  }
  return 0;
}

bool isHex(const std::string &name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), llvm::isHexDigit);
}

//===--- The whole folder --------------------------------------------------===//

struct Entry {
  std::string path;
  uint64_t bytes;
  fs::file_time_type used;
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
Contents listFolder(const std::string &folder) {
  Contents contents;
  std::error_code error;
  for (fs::directory_iterator group(folder, error), end; !error && group != end;
       group.increment(error)) {
    std::string groupName = group->path().filename().string();
    std::error_code inner;
    if (groupName.size() != 2 || !isHex(groupName))
      continue;
    for (fs::directory_iterator file(group->path(), inner);
         !inner && file != fs::directory_iterator(); file.increment(inner)) {
      std::string name = file->path().filename().string();
      bool isUnfinished = name.starts_with("tmp-");
      if (!isUnfinished && !isHex(name))
        continue;
      std::error_code gone;
      uint64_t bytes = file->file_size(gone);
      auto used = gone ? fs::file_time_type() : file->last_write_time(gone);
      if (!gone)
        (isUnfinished ? contents.unfinished : contents.entries)
            .push_back({file->path().string(), bytes, used});
    }
  }
  return contents;
}

/// A lock that this object holds. Without it (if the folder is read-only), the totals stay as they
/// are.
class Lock {
public:
  explicit Lock(const std::string &folder)
      : file(open((folder + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666)) {
    isHeld = file.descriptor >= 0 && flock(file.descriptor, LOCK_EX) == 0;
  }
  bool isHeld;

private:
  File file;
};

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
CacheTotals readTotals(const std::string &folder) {
  CacheTotals totals;
  std::istringstream text(readWhole(folder + "/totals").value_or(""));
  std::string word;
  for (uint64_t value = 0; text >> word >> value;)
    for (const auto &[name, member] : rowsOfTotals())
      if (word == name)
        totals.*member = value;
  return totals;
}

void writeTotals(const std::string &folder, const CacheTotals &totals) {
  std::string text;
  for (const auto &[name, member] : rowsOfTotals())
    text += (text.empty() ? "" : " ") + std::string(name) + " " + std::to_string(totals.*member);
  // They help trimming and people, no more.
  (void)replaceFile(folder, folder + "/totals", text + "\n");
}

/// The caller holds the lock. Trims to four fifths of the limit, so that not every run has to trim.
CacheTotals trimTo(const std::string &folder, uint64_t limit) {
  Contents contents = listFolder(folder);
  for (const Entry &entry : contents.unfinished)
    if (fs::file_time_type::clock::now() - entry.used > std::chrono::hours(1))
      unlink(entry.path.c_str());
  std::vector<Entry> &entries = contents.entries;
  std::sort(entries.begin(), entries.end(), [](const Entry &left, const Entry &right) {
    return std::tie(left.used, left.path) < std::tie(right.used, right.path);
  });
  CacheTotals totals = readTotals(folder);
  totals.bytes = contents.bytes();
  totals.entries = entries.size();
  for (const Entry &entry : entries) {
    if (totals.bytes <= limit)
      break;
    if (unlink(entry.path.c_str()) != 0 && errno != ENOENT)
      continue;
    totals.bytes -= onDisk(entry.bytes);
    --totals.entries;
  }
  writeTotals(folder, totals);
  return totals;
}

} // namespace

std::string CacheFolder::entryPath(const std::string &key) const {
  return path + "/" + key.substr(0, 2) + "/" + key.substr(2);
}

std::optional<std::string> CacheFolder::find(const std::string &key) {
  std::optional<std::string> bytes = findUncounted(key);
  hits += bytes.has_value();
  return bytes;
}

std::optional<std::string> CacheFolder::findUncounted(const std::string &key) {
  const std::string file = entryPath(key);
  const std::optional<std::string> entry = readWhole(file);
  if (!entry)
    return std::nullopt;
  std::optional<std::string> content = openEntry(key, *entry);
  if (content)
    (void)utimensat(AT_FDCWD, file.c_str(), nullptr, 0); // now; a read-only cache serves as well
  else
    unlink(file.c_str());
  return content;
}

bool CacheFolder::has(const std::string &key) const {
  return access(entryPath(key).c_str(), R_OK) == 0;
}

void CacheFolder::store(const std::string &key, std::string_view bytes) {
  if (isBroken || bytes.size() > maxEntryBytes - entryHeadBytes)
    return;
  auto fail = [&](const std::string &what) {
    std::lock_guard guard(mutex);
    if (!isBroken.exchange(true))
      firstProblem = what;
  };
  std::string file = entryPath(key), folder = fs::path(file).parent_path().string();
  std::error_code error;
  const bool isNew = !fs::exists(path + "/CACHEDIR.TAG", error);
  fs::create_directories(folder, error);
  if (error)
    return fail("cannot make '" + folder + "': " + error.message());
  if (isNew)
    (void)replaceFile(
        folder, path + "/CACHEDIR.TAG",
        "Signature: 8a477f597d28d172789f06886806bc55\n# Images compiled by sextant\n");
  const std::string whole = sealEntry(key, bytes);
  if (int problem = replaceFile(folder, file, whole))
    return fail("cannot write to '" + folder + "': " + std::strerror(problem));
  ++newEntries;
  newBytes += onDisk(whole.size());
}

std::string CacheFolder::problem() const {
  std::lock_guard guard(mutex);
  return firstProblem;
}

void CacheFolder::finish(const RemoteUse &remote) {
  std::error_code error;
  if (hits + misses == 0 || !fs::is_directory(path, error))
    return;
  Lock lock(path);
  if (!lock.isHeld)
    return;
  CacheTotals totals = readTotals(path);
  totals.entries += newEntries.exchange(0);
  totals.bytes += newBytes.exchange(0);
  totals.hits += hits;
  totals.misses += misses;
  totals.remoteHits += remote.hits;
  totals.remoteMisses += remote.misses;
  totals.remoteErrors += remote.errors;
  totals.remoteSent += remote.sent;
  writeTotals(path, totals);
  if (limit && totals.bytes > limit)
    trimTo(path, limit / 5 * 4);
}

CacheTotals cacheTotals(const std::string &folder) {
  CacheTotals totals = readTotals(folder);
  Contents contents = listFolder(folder);
  totals.entries = contents.entries.size();
  totals.bytes = contents.bytes();
  return totals;
}

CacheTotals trimCache(const std::string &folder, uint64_t limit) {
  Lock lock(folder);
  return trimTo(folder, limit);
}

CacheTotals clearCache(const std::string &folder) {
  Lock lock(folder);
  trimTo(folder, 0);
  unlink((folder + "/totals").c_str());
  unlink((folder + "/remote-failed").c_str());
  return cacheTotals(folder);
}

} // namespace sextant
