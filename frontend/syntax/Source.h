// Source files, and places in them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sextant {

/// A line and a column, both from 1; columns count bytes.
struct LineColumn {
  unsigned line = 1, column = 1;
};

/// The text of a file. It is kept for as long as anything points into it.
class SourceFile {
public:
  SourceFile(std::string path, std::string text);

  const std::string &path() const { return filePath; }
  std::string_view text() const { return contents; }
  LineColumn lineColumn(uint32_t offset) const;
  /// The line's text, without its end.
  std::string_view line(unsigned number) const;

private:
  std::string filePath, contents;
  std::vector<uint32_t> lineStarts;
};

/// The bytes [begin, end) of a file. A null file: no place is known.
struct SourceRange {
  const SourceFile *file = nullptr;
  uint32_t begin = 0, end = 0;
};

} // namespace sextant
