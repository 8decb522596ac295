#include "frontend/spelling/Texts.h"

namespace sextant {

std::string joined(std::span<const std::string> words, std::string_view between) {
  std::string text;
  for (const std::string &word : words)
    text.append(text.empty() ? "" : between).append(word);
  return text;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(separator, begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::string countText(uint64_t count, std::string_view noun) {
  return std::to_string(count).append(" ").append(noun).append(count == 1 ? "" : "s");
}

std::string upper(std::string text) {
  for (char &letter : text)
    if (letter >= 'a' && letter <= 'z')
      letter = static_cast<char>(letter - 'a' + 'A');
  return text;
}

} // namespace sextant
