// Reading from files.
#include "loader/format/ByteSource.h"
#include "loader/format/Text.h"

#include <cinttypes>

namespace sextant::module {

Result<std::shared_ptr<ByteSource>> ByteSource::ofFile(const std::string &path, uint64_t maxPart) {
  std::shared_ptr<ByteSource> source(new ByteSource(maxPart));
  if (std::string why = source->file.open(path); !why.empty())
    return Status{Code::Io, message("cannot open '%s': %s", path.c_str(), why.c_str())};
  if (!source->file.isRegular())
    return Status{Code::Io,
                  message("'%s' is not a regular file; pass the path of a module", path.c_str())};
  source->length = source->file.size();
  return source;
}

Result<Part> ByteSource::read(uint64_t offset, uint64_t bytes) const {
  if (!file.isOpen())
    return Part{nullptr, memory.subspan(offset, bytes)};
  const std::span<const std::byte> kept = pinned.bytes;
  if (offset <= kept.size() && bytes <= kept.size() - offset)
    return Part{nullptr, kept.subspan(offset, bytes)};
  if (bytes > maxPart)
    return Status{Code::TooLarge,
                  message("a part of the module has %" PRIu64 " bytes, the limit is %" PRIu64 "; "
                          "raise the limit if you trust the module",
                          bytes, maxPart)};
  Part part{std::unique_ptr<std::byte[]>(new std::byte[bytes]), {}};
  part.bytes = {part.copy.get(), bytes};
  size_t got = 0;
  if (std::string why = file.read(offset, {part.copy.get(), bytes}, got); !why.empty())
    return Status{Code::Io, message("cannot read the module: %s", why.c_str())};
  if (got < bytes)
    return Status{Code::Truncated,
                  message("the module's file was cut short while in use: it had %" PRIu64
                          " bytes, now it "
                          "ends before %" PRIu64 "; replace files by renaming, and copy it again",
                          length, offset + bytes)};
  return part;
}

} // namespace sextant::module
