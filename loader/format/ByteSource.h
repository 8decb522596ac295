// The bytes of a module, in memory or in a file that is read part by part. Files are not mapped: if
// a mapped file is truncated, a signal kills its readers, whereas a read reports that bytes are
// missing. Only the reader uses this header.
#pragma once

#include "loader/format/Result.h"
#include "loader/system/File.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace sextant::module {

/// Bytes of a module: in place if the module lies in memory, otherwise a copy.
struct Part {
  std::unique_ptr<std::byte[]> copy; ///< null: in place
  std::span<const std::byte> bytes;
};

/// Any number of threads may read from a ByteSource at once.
class ByteSource {
public:
  /// Borrows the bytes.
  explicit ByteSource(std::span<const std::byte> bytes) : memory(bytes), length(bytes.size()) {}
  /// Opens a file. It stays open as long as the ByteSource, so a rename over it changes nothing
  /// here.
  /// \param maxPart the largest read: a larger one could only come from a size that the file states
  static Result<std::shared_ptr<ByteSource>> ofFile(const std::string &path, uint64_t maxPart);
  ByteSource(const ByteSource &) = delete;
  ByteSource &operator=(const ByteSource &) = delete;

  /// The size in bytes; of a file, its size when it was opened.
  uint64_t size() const { return length; }
  /// Returns true if [offset, offset + bytes) lies inside.
  bool has(uint64_t offset, uint64_t bytes) const {
    return offset <= length && bytes <= length - offset;
  }
  /// Returns the bytes at `offset`, all of which lie inside. Truncated: the file became shorter.
  Result<Part> read(uint64_t offset, uint64_t bytes) const;

  /// Serves reads inside the first bytes from `part`, which holds them, from now on. So the bytes
  /// that were verified are the bytes that are used. Call it before other threads read.
  void pin(Part part) { pinned = std::move(part); }
  std::span<const std::byte> pinnedBytes() const { return pinned.bytes; }

private:
  explicit ByteSource(uint64_t maxPart) : maxPart(maxPart) {}
  std::span<const std::byte> memory;
  Part pinned;
  system::File file; ///< not open: in memory
  uint64_t length = 0, maxPart = 0;
};

} // namespace sextant::module
