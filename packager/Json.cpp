#include "packager/Json.h"

#include <charconv>

namespace sextant::packager {

namespace {
/// Bytes of the UTF-8 sequence that `text` begins with, 0 where it is none.
size_t sequence(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  const size_t size = lead < 0x80                    ? 1
                      : lead >= 0xc2 && lead <= 0xdf ? 2
                      : lead >= 0xe0 && lead <= 0xef ? 3
                      : lead >= 0xf0 && lead <= 0xf4 ? 4
                                                     : 0;
  if (size == 0 || size > text.size())
    return 0;
  for (size_t i = 1; i < size; ++i)
    if ((byte(i) & 0xc0) != 0x80)
      return 0;
  // Overlong forms, surrogates, beyond U+10FFFF.
  if ((lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xed && byte(1) > 0x9f) ||
      (lead == 0xf0 && byte(1) < 0x90) || (lead == 0xf4 && byte(1) > 0x8f))
    return 0;
  return size;
}
} // namespace

std::string jsonString(std::string_view text) {
  constexpr char digits[] = "0123456789abcdef";
  std::string result = "\"";
  while (!text.empty()) {
    const size_t size = sequence(text);
    const char first = text.front();
    if (size == 0) {
      result += "\\ufffd";
    } else if (first == '"' || first == '\\') {
      result += {'\\', first};
    } else if (first == '\n') {
      result += "\\n";
    } else if (first == '\t') {
      result += "\\t";
    } else if (static_cast<unsigned char>(first) < 0x20 || first == 0x7f) {
      result += "\\u00";
      result += {digits[(first >> 4) & 15], digits[first & 15]};
    } else {
      result += text.substr(0, size);
    }
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return result + "\"";
}

void JsonWriter::separate() {
  if (afterKey) {
    afterKey = false;
    return;
  }
  if (depth == 0)
    return;
  if (!isFirst)
    text += ',';
  text += '\n';
  text.append(size_t(depth) * 2, ' ');
  isFirst = false;
}

JsonWriter &JsonWriter::value(double number) {
  char digits[32];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, number);
  return raw(std::string_view(digits, static_cast<size_t>(end - digits)));
}

JsonWriter &JsonWriter::key(std::string_view name) {
  separate();
  text += jsonString(name) + ": ";
  afterKey = true;
  return *this;
}

JsonWriter &JsonWriter::raw(std::string_view literal) {
  separate();
  text += literal;
  return *this;
}

JsonWriter &JsonWriter::open(char bracket) {
  separate();
  text += bracket;
  ++depth;
  isFirst = true;
  return *this;
}

JsonWriter &JsonWriter::close(char bracket) {
  depth -= depth != 0;
  if (!isFirst) {
    text += '\n';
    text.append(size_t(depth) * 2, ' ');
  }
  text += bracket;
  isFirst = false;
  return *this;
}

} // namespace sextant::packager
