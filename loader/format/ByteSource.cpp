// Reading from files.
#include "loader/format/ByteSource.h"
#include "loader/format/Text.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sextant::module {

Result<std::shared_ptr<ByteSource>> ByteSource::ofFile(const std::string &path, uint64_t maxPart) {
  auto ioError = [&](const char *what) {
    return Status{Code::Io,
                  message("cannot %s '%s': %s", what, path.c_str(), std::strerror(errno))};
  };
  std::shared_ptr<ByteSource> source(new ByteSource(maxPart)); // closes the file, whatever happens
  // If the path is a pipe, opening does not wait for a writer.
  source->descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (source->descriptor < 0)
    return ioError("open");
  struct stat facts{};
  if (fstat(source->descriptor, &facts) != 0)
    return ioError("examine");
  if (!S_ISREG(facts.st_mode))
    return Status{Code::Io,
                  message("'%s' is no regular file; pass the path of a module", path.c_str())};
  source->length = static_cast<uint64_t>(facts.st_size);
  return source;
}

ByteSource::~ByteSource() {
  if (descriptor >= 0)
    close(descriptor);
}

Result<Part> ByteSource::read(uint64_t offset, uint64_t bytes) const {
  if (descriptor < 0)
    return Part{nullptr, memory.subspan(offset, bytes)};
  const std::span<const std::byte> kept = pinned.bytes;
  if (offset <= kept.size() && bytes <= kept.size() - offset)
    return Part{nullptr, kept.subspan(offset, bytes)};
  if (bytes > maxPart)
    return Status{Code::TooLarge, message("a part of the module has %llu bytes, the limit is %llu; "
                                          "raise the limit if you trust the module",
                                          static_cast<unsigned long long>(bytes),
                                          static_cast<unsigned long long>(maxPart))};
  Part part{std::unique_ptr<std::byte[]>(new std::byte[bytes]), {}};
  part.bytes = {part.copy.get(), bytes};
  for (uint64_t done = 0; done < bytes;) {
    // Systems read at most two gibibytes at once.
    const size_t want = std::min<uint64_t>(bytes - done, 1 << 30);
    const ssize_t got =
        pread(descriptor, part.copy.get() + done, want, static_cast<off_t>(offset + done));
    if (got > 0) {
      done += static_cast<uint64_t>(got);
    } else if (got == 0) {
      return Status{Code::Truncated,
                    message("the module's file was cut short while in use: it had %llu bytes, "
                            "now it ends before %llu; replace files by renaming, and copy it again",
                            static_cast<unsigned long long>(length),
                            static_cast<unsigned long long>(offset + bytes))};
    } else if (errno != EINTR) {
      return Status{Code::Io, message("cannot read the module: %s", std::strerror(errno))};
    }
  }
  return part;
}

} // namespace sextant::module
