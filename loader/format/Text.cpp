#include "loader/format/Text.h"

#include <cstdarg>
#include <cstdio>

namespace sextant::module {

uint32_t codePoint(std::string_view sequence) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(sequence[i]); };
  if (sequence.size() == 1)
    return byte(0);
  uint32_t code = byte(0) & (0x7fu >> sequence.size());
  for (size_t i = 1; i < sequence.size(); ++i)
    code = code << 6 | (byte(i) & 0x3fu);
  return code;
}

bool isObeyed(uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c || code == 0x200e ||
         code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069) || code == 0xfeff;
}

namespace {

void appendHex(std::string &out, uint32_t value, unsigned digits) {
  while (digits-- != 0)
    out += "0123456789abcdef"[value >> (4 * digits) & 15];
}

void appendEscaped(std::string &out, uint32_t code) {
  if (code == '\n') {
    out += "\\n";
  } else if (code == '\t') {
    out += "\\t";
  } else if (code < 0x80) {
    out += "\\x";
    appendHex(out, code, 2);
  } else {
    out += "\\u";
    appendHex(out, code, 4);
  }
}

std::string escaped(std::string_view text, bool keepsLines) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const size_t length = utf8Length(text);
    if (length == 0) {
      out += "\\x";
      appendHex(out, static_cast<unsigned char>(text.front()), 2);
      text.remove_prefix(1);
      continue;
    }
    const std::string_view sequence = text.substr(0, length);
    const uint32_t code = codePoint(sequence);
    if (isObeyed(code) && !(keepsLines && (code == '\n' || code == '\t')))
      appendEscaped(out, code);
    else
      out += sequence;
    text.remove_prefix(length);
  }
  return out;
}

} // namespace

size_t utf8Length(std::string_view text) {
  if (text.empty())
    return 0;
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  const size_t length = lead < 0x80                    ? 1
                        : lead >= 0xc2 && lead <= 0xdf ? 2
                        : lead >= 0xe0 && lead <= 0xef ? 3
                        : lead >= 0xf0 && lead <= 0xf4 ? 4
                                                       : 0;
  if (length == 0 || length > text.size())
    return 0;
  for (size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80)
      return 0;
  // Refuses overlong forms, surrogates, and values past U+10FFFF.
  if ((lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xed && byte(1) > 0x9f) ||
      (lead == 0xf0 && byte(1) < 0x90) || (lead == 0xf4 && byte(1) > 0x8f))
    return 0;
  return length;
}

bool isPrintable(std::string_view text) {
  while (!text.empty()) {
    const size_t length = utf8Length(text);
    if (length == 0 || isObeyed(codePoint(text.substr(0, length))))
      return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string message(const char *format, ...) {
  va_list list, again;
  va_start(list, format);
  va_copy(again, list);
  std::string text(static_cast<size_t>(std::vsnprintf(nullptr, 0, format, list)), '\0');
  std::vsnprintf(text.data(), text.size() + 1, format, again);
  va_end(again);
  va_end(list);
  return text;
}

std::string printable(std::string_view text) { return escaped(text, false); }
std::string printableLines(std::string_view text) { return escaped(text, true); }

} // namespace sextant::module
