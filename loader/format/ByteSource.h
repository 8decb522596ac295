// Where a module's bytes are: in memory, or in a file that is read part by part. Files
// are not mapped: a mapped file that is cut short kills its readers by a signal, a read
// says that bytes are missing. Used by the reader alone.
#pragma once

#include "loader/format/Result.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace sextant::module {

/// Bytes of a module: in place where it lies in memory, else a copy.
struct Part {
  std::unique_ptr<std::byte[]> copy; ///< null: in place
  std::span<const std::byte> bytes;
};

/// Any number of threads may read from a ByteSource at once.
class ByteSource {
public:
  /// Borrows the bytes.
  explicit ByteSource(std::span<const std::byte> bytes) : memory(bytes), length(bytes.size()) {}
  /// Opens a file, which stays open as long as the ByteSource: one that is replaced by a rename
  /// meanwhile is still the old one.
  /// \param maxPart reads of more bytes are refused, as nobody asked for them but the file
  static Result<std::shared_ptr<ByteSource>> ofFile(const std::string &path, uint64_t maxPart);
  ~ByteSource();
  ByteSource(const ByteSource &) = delete;
  ByteSource &operator=(const ByteSource &) = delete;

  /// Bytes; of a file, when it was opened.
  uint64_t size() const { return length; }
  /// Whether [offset, offset + bytes) lies inside.
  bool has(uint64_t offset, uint64_t bytes) const {
    return offset <= length && bytes <= length - offset;
  }
  /// The bytes at `offset`, all of them inside. Truncated: the file became shorter.
  Result<Part> read(uint64_t offset, uint64_t bytes) const;

  /// From now on reads inside the first bytes are served by `part`, which holds them: so that
  /// what was verified is what is used. Before other threads read.
  void pin(Part part) { pinned = std::move(part); }
  std::span<const std::byte> pinnedBytes() const { return pinned.bytes; }

private:
  explicit ByteSource(uint64_t maxPart) : maxPart(maxPart) {}
  std::span<const std::byte> memory;
  Part pinned;
  int descriptor = -1; ///< -1: in memory
  uint64_t length = 0, maxPart = 0;
};

} // namespace sextant::module
