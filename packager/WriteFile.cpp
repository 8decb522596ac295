// Write beside, then rename.
#include "packager/ModuleBuilder.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sextant::packager {

using module::Code;
using module::Status;

namespace {

Status ioError(const char *what, const std::string &path) {
  return {Code::Io, "cannot " + std::string(what) + " '" + path + "': " + std::strerror(errno)};
}

bool writeAll(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return false;
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return true;
}

/// Devices and pipes cannot be renamed over: `-o /dev/stdout` writes into it.
bool isSpecial(const std::string &path) {
  struct stat facts{};
  return stat(path.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode);
}

} // namespace

Status writeFile(const std::string &path, std::span<const std::byte> bytes) {
  const bool isDirect = isSpecial(path);
  std::string beside = path;
  int descriptor = -1;
  if (isDirect)
    descriptor = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  for (unsigned attempt = 0; !isDirect && attempt < 100; ++attempt) {
    beside = path + ".tmp" + std::to_string(getpid()) + "-" + std::to_string(attempt);
    descriptor = open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0 || errno != EEXIST)
      break;
  }
  if (descriptor < 0)
    return ioError("write", path);
  auto fail = [&](const char *what) {
    Status status = ioError(what, path);
    if (!isDirect)
      unlink(beside.c_str());
    return status;
  };
  const bool isWritten = writeAll(descriptor, bytes);
  const int writeError = errno;
  const bool isClosed = close(descriptor) == 0;
  if (!isWritten)
    errno = writeError;
  if (!isWritten || !isClosed)
    return fail("write");
  if (!isDirect && rename(beside.c_str(), path.c_str()) != 0)
    return fail("write");
  return {};
}

} // namespace sextant::packager
