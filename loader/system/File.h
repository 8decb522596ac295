// Files. Paths are UTF-8 on every system.
//
// A function that fails returns the system's reason, such as "No such file or directory".
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace sextant::system {

/// A file that is open for reading. Any number of threads may read from it at once.
class File {
public:
  File() = default;
  ~File();
  File(const File &) = delete;
  File &operator=(const File &) = delete;

  /// Opens a file, called once. Never waits: a file that is not a regular one is opened and has no
  /// size. Returns "" or why not. The file may be renamed or replaced while it is open.
  std::string open(const std::string &path);
  bool isOpen() const { return handle != none; }
  bool isRegular() const { return regular; }
  /// The size in bytes when it was opened.
  uint64_t size() const { return length; }
  /// Reads the bytes at `offset`, and stores how many there were: fewer if the file ends before.
  /// Returns "" or why not.
  std::string read(uint64_t offset, std::span<std::byte> to, size_t &got) const;

private:
  static constexpr intptr_t none = -1;
  intptr_t handle = none; ///< the system's own
  uint64_t length = 0;
  bool regular = false;
};

/// Replaces a file, or makes it, with these bytes one after another. A program that opens the
/// path sees the old file or all of the new one (on Windows, if a program has the old one open, for
/// a moment none). Returns "" or why not; then the old one is as it was. A device or a pipe is
/// written into; a pipe that nobody reads is an error.
std::string replaceFile(const std::string &path, std::span<const std::byte> head,
                        std::span<const std::byte> body);

/// Where perf looks for the names of this process's generated code. "" if there is no perf here.
std::string perfMap();
/// Adds text to the end of a file that belongs only to this user. Follows no link. Returns "" or
/// why not.
std::string appendToFile(const std::string &path, const std::string &text);

} // namespace sextant::system
