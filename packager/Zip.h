// ZIP archives whose files are stored as they are: modules are compressed already, and so a wheel
// needs no library.
#pragma once

#include "loader/format/Result.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace sextant::packager {

/// A file of an archive.
struct ArchivedFile {
  std::string name; ///< with `/` between folders, in UTF-8
  std::string bytes;
};

/// Returns the archive (PKWARE's APPNOTE.TXT, version 2.0). All files have the date 1980-01-01 and
/// the mode 0644, so that equal files make equal bytes.
/// InvalidInput: it would have more than 4 GiB or 65535 files, or a name is too long.
module::Result<std::vector<std::byte>> zipOf(std::span<const ArchivedFile> files);

} // namespace sextant::packager
