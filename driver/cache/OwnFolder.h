// A folder in which nobody else can have put anything: it belongs to this user or to root, and
// nobody but its owner can write to it, as SSH asks of its files. Whoever writes to the cache puts
// code into modules, so all that the cache opens, makes, lists or removes goes through here.
//
// Names are single names below an open folder. Links in place of them are not followed. A regular
// file of such an owner is a file; everything else, a pipe for example, is never opened or removed.
#pragma once

#include "driver/Descriptor.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <vector>

namespace sextant {

/// A file that is open for reading.
class OwnFile {
public:
  OwnFile(Descriptor descriptor, uint64_t bytes) : descriptor(std::move(descriptor)), size(bytes) {}
  uint64_t bytes() const { return size; }
  /// Returns the next `count` bytes, or fewer at the end.
  std::string read(uint64_t count) const;
  /// Makes this moment the time of the last change. A read-only file stays as it is.
  void touch() const;

private:
  Descriptor descriptor;
  uint64_t size;
};

/// Why a folder cannot be used.
struct FolderTrouble {
  std::string what, fix;   ///< empty: it can, or it is not there
  bool isDistrust = false; ///< others can write to it
};

class OwnFolder {
public:
  enum class Missing : uint8_t { Stays, IsMade };

  /// Opens the folder at a path that the user named. Links on the way to it are followed.
  explicit OwnFolder(const std::string &path, Missing missing = Missing::Stays);
  /// Opens a folder in this one.
  OwnFolder sub(const std::string &name, Missing missing = Missing::Stays) const;

  bool isOpen() const { return descriptor.isOpen(); }
  const FolderTrouble &trouble() const { return problem; }
  const std::string &path() const { return shown; }

  // If the folder is not open, the following find nothing and do nothing.

  /// Opens a file to which nobody but its owner can write.
  std::optional<OwnFile> open(const std::string &name) const;
  /// Returns a file's bytes, or "" if there is none or it is larger than `most`.
  std::string read(const std::string &name, uint64_t most) const;
  /// Writes a file: all of it or nothing. Returns 0, or the errno of the failure.
  int replace(const std::string &name, std::string_view bytes) const;
  /// Removes a file, and returns true if it is gone.
  bool remove(const std::string &name) const;
  /// Returns what the file system knows of a file.
  std::optional<struct stat> find(const std::string &name) const;
  /// Returns the names of all that is in the folder.
  std::vector<std::string> names() const;
  /// Locks a file until the result is gone. Not open: others held it for all that time, or it
  /// cannot be made.
  Descriptor lock(const std::string &name, std::chrono::milliseconds patience) const;

private:
  OwnFolder() = default;
  /// \param opened the folder; -1: errno says why not
  /// \param unmade the errno with which it could not be made before
  void accept(int opened, int unmade);

  std::string shown;
  Descriptor descriptor;
  FolderTrouble problem;
};

} // namespace sextant
