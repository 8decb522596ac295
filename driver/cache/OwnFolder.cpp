// Plain POSIX calls relative to the open folder. When one process renames a file into place,
// another one sees all of it or nothing.
#include "driver/cache/OwnFolder.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <random>
#include <sys/file.h>
#include <thread>
#include <unistd.h>

namespace sextant {
namespace {

bool isOfTrustedOwner(const struct stat &status) {
  return status.st_uid == geteuid() || status.st_uid == 0;
}

bool canOthersWrite(const struct stat &status) {
  return (status.st_mode & (S_IWGRP | S_IWOTH)) != 0;
}

/// A name that no other writer uses, on this machine or another one.
std::string temporaryName() {
  static std::atomic<uint64_t> counter{uint64_t(std::random_device()()) << 32 ^
                                       std::random_device()()};
  return "tmp-" + std::to_string(getpid()) + "-" + std::to_string(counter++);
}

} // namespace

//===--- Files -------------------------------------------------------------===//

std::string OwnFile::read(uint64_t count) const {
  std::string bytes(static_cast<size_t>(std::min(count, size)), '\0');
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = ::read(descriptor.get(), bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      break;
    done += static_cast<size_t>(got);
  }
  bytes.resize(done);
  return bytes;
}

void OwnFile::touch() const { (void)futimens(descriptor.get(), nullptr); }

//===--- Opening folders ---------------------------------------------------===//

OwnFolder::OwnFolder(const std::string &path, Missing missing) : shown(path) {
  int unmade = 0;
  if (missing == Missing::IsMade) {
    std::error_code error; // making the last one says why
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
    unmade = mkdir(path.c_str(), 0755) == 0 ? 0 : errno;
  }
  accept(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC), unmade);
}

OwnFolder OwnFolder::sub(const std::string &name, Missing missing) const {
  OwnFolder inner;
  inner.shown = shown + "/" + name;
  if (!isOpen())
    return inner;
  int unmade = 0;
  if (missing == Missing::IsMade)
    unmade = mkdirat(descriptor.get(), name.c_str(), 0755) == 0 ? 0 : errno;
  inner.accept(
      openat(descriptor.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
      unmade);
  return inner;
}

void OwnFolder::accept(int opened, int unmade) {
  constexpr const char *another = "name another by --cache-dir or SEXTANT_CACHE_DIR";
  Descriptor candidate(opened);
  struct stat status{};
  if (!candidate.isOpen() || fstat(candidate.get(), &status) != 0) {
    const int why = errno == ENOENT ? unmade : errno;
    const bool isOther = why == ENOTDIR || why == ELOOP;
    if (why != 0)
      problem = {"'" + shown + "' " +
                     (isOther ? "is not a folder"
                              : std::string("cannot be opened: ") + std::strerror(why)),
                 another};
  } else if (!isOfTrustedOwner(status)) {
    problem = {"'" + shown + "' belongs to another user (" + std::to_string(status.st_uid) +
                   "), who could put code into modules",
               another, true};
  } else if (canOthersWrite(status)) {
    problem = {"others than its owner can write to '" + shown + "', and so put code into modules",
               "chmod -R go-w '" + shown + "', or " + another, true};
  } else {
    descriptor = std::move(candidate);
  }
}

//===--- What is in a folder -----------------------------------------------===//

std::optional<struct stat> OwnFolder::find(const std::string &name) const {
  struct stat status{};
  if (!isOpen() || fstatat(descriptor.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 ||
      !S_ISREG(status.st_mode) || !isOfTrustedOwner(status))
    return std::nullopt;
  return status;
}

std::optional<OwnFile> OwnFolder::open(const std::string &name) const {
  if (!find(name))
    return std::nullopt;
  // Another file may have taken its place: links are not followed, and pipes are not waited for.
  Descriptor file(
      openat(descriptor.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status{};
  if (!file.isOpen() || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      !isOfTrustedOwner(status) || canOthersWrite(status))
    return std::nullopt;
  return OwnFile(std::move(file), static_cast<uint64_t>(status.st_size));
}

std::string OwnFolder::read(const std::string &name, uint64_t most) const {
  const std::optional<OwnFile> file = open(name);
  return file && file->bytes() <= most ? file->read(most) : "";
}

int OwnFolder::replace(const std::string &name, std::string_view bytes) const {
  if (!isOpen())
    return EBADF;
  const std::string temporary = temporaryName();
  Descriptor file(
      openat(descriptor.get(), temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (!file.isOpen())
    return errno;
  int failure = file.write(bytes);
  if (const int late = file.close(); !failure)
    failure = late;
  if (!failure &&
      renameat(descriptor.get(), temporary.c_str(), descriptor.get(), name.c_str()) != 0)
    failure = errno;
  if (failure)
    (void)unlinkat(descriptor.get(), temporary.c_str(), 0);
  return failure;
}

bool OwnFolder::remove(const std::string &name) const {
  return find(name) && (unlinkat(descriptor.get(), name.c_str(), 0) == 0 || errno == ENOENT);
}

std::vector<std::string> OwnFolder::names() const {
  std::vector<std::string> all;
  if (!isOpen())
    return all;
  DIR *listed = fdopendir(openat(descriptor.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!listed)
    return all;
  while (const dirent *one = readdir(listed))
    all.emplace_back(one->d_name);
  closedir(listed);
  return all;
}

Descriptor OwnFolder::lock(const std::string &name, std::chrono::milliseconds patience) const {
  using Clock = std::chrono::steady_clock;
  if (!isOpen())
    return Descriptor();
  // Nobody else can open it, and so hold the lock.
  constexpr int how = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  Descriptor file(openat(descriptor.get(), name.c_str(), how | O_CREAT | O_EXCL, 0600));
  if (!file.isOpen() && find(name))
    file = Descriptor(openat(descriptor.get(), name.c_str(), how));
  if (!file.isOpen())
    return Descriptor();
  const auto end = Clock::now() + patience;
  while (flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if ((errno != EWOULDBLOCK && errno != EINTR) || Clock::now() >= end)
      return Descriptor();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return file;
}

} // namespace sextant
