// Source files: finds the starts of lines, and the line and column of an offset.
#include "frontend/syntax/Source.h"

#include <algorithm>

namespace sextant {

SourceFile::SourceFile(std::string path, std::string text)
    : filePath(std::move(path)), contents(std::move(text)) {
  // A byte-order mark is not a column of the first line.
  lineStarts.push_back(contents.starts_with("\xEF\xBB\xBF") ? 3 : 0);
  for (size_t i = 0; i < contents.size(); ++i) {
    // Lines end as in Python: "\n", "\r\n" or "\r".
    if (contents[i] == '\r' && i + 1 < contents.size() && contents[i + 1] == '\n')
      continue;
    if (contents[i] == '\n' || contents[i] == '\r')
      lineStarts.push_back(uint32_t(i + 1));
  }
}

LineColumn SourceFile::lineColumn(uint32_t offset) const {
  auto next = std::upper_bound(lineStarts.begin(), lineStarts.end(), offset);
  if (next == lineStarts.begin())
    return {1, 1};
  unsigned line = unsigned(next - lineStarts.begin());
  return {line, offset - lineStarts[line - 1] + 1};
}

std::string_view SourceFile::line(unsigned number) const {
  if (number == 0 || number > lineStarts.size())
    return {};
  size_t begin = lineStarts[number - 1];
  size_t end = number < lineStarts.size() ? lineStarts[number] : contents.size();
  while (end > begin && (contents[end - 1] == '\n' || contents[end - 1] == '\r'))
    --end;
  return std::string_view(contents).substr(begin, end - begin);
}

} // namespace sextant
