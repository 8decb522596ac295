#include "packager/Json.h"
#include "loader/format/Text.h"

#include <charconv>

namespace sextant::packager {

std::string jsonString(std::string_view text) {
  constexpr char digits[] = "0123456789abcdef";
  std::string result = "\"";
  while (!text.empty()) {
    const size_t size = module::utf8Length(text);
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
    } else if ((size == 2 || size == 3) && !module::isPrintable(text.substr(0, size))) {
      // JSON allows these characters, but a terminal that shows the text would obey them.
      const uint32_t code = module::codePoint(text.substr(0, size));
      result += "\\u";
      for (const unsigned shift : {12, 8, 4, 0})
        result += digits[code >> shift & 15];
    } else {
      result += text.substr(0, size);
    }
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return result + "\"";
}

void JsonWriter::startLine() {
  if (layout == Layout::OneLine)
    return;
  text += '\n';
  text.append(size_t(depth) * 2, ' ');
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
  startLine();
  isFirst = false;
}

JsonWriter &JsonWriter::value(double number) {
  char digits[32];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, number);
  return raw(std::string_view(digits, static_cast<size_t>(end - digits)));
}

JsonWriter &JsonWriter::key(std::string_view name) {
  separate();
  text += jsonString(name) + (layout == Layout::OneLine ? ":" : ": ");
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
  if (!isFirst)
    startLine();
  text += bracket;
  isFirst = false;
  return *this;
}

} // namespace sextant::packager
