#include "driver/commands/AsciiText.h"

#include <algorithm>

namespace sextant {

static constexpr std::string_view digits = "0123456789abcdef";

static bool isSpelled(char c) { return c == '~' || static_cast<unsigned char>(c) >= 0x80; }

std::string asciiSpelling(std::string_view text) {
  std::string spelling;
  for (const char c : text)
    if (isSpelled(c))
      spelling += {'~', digits[static_cast<unsigned char>(c) >> 4], digits[c & 15]};
    else
      spelling += c;
  return spelling;
}

std::string fromAsciiSpelling(std::string_view spelling) {
  std::string text;
  for (size_t at = 0; at < spelling.size(); ++at) {
    const size_t high = at + 2 < spelling.size() ? digits.find(spelling[at + 1]) : digits.npos;
    const size_t low = at + 2 < spelling.size() ? digits.find(spelling[at + 2]) : digits.npos;
    if (spelling[at] != '~' || high == digits.npos || low == digits.npos) {
      text += spelling[at];
      continue;
    }
    text += static_cast<char>(high << 4 | low);
    at += 2;
  }
  return text;
}

size_t placeOfAsciiColumn(std::string_view line, size_t column) {
  size_t at = 0;
  for (size_t next = 1; at < line.size(); ++at) {
    next += isSpelled(line[at]) ? 3 : 1;
    if (next > column)
      break;
  }
  while (at > 0 && at < line.size() && (line[at] & 0xC0) == 0x80)
    --at;
  return std::min(at, line.size());
}

} // namespace sextant
