#include "driver/commands/FileName.h"

namespace sextant {
namespace {

constexpr size_t maxStem = 120, maxExtension = 16;

/// The characters that every file system accepts and no shell interprets.
std::string plain(std::string_view text, std::string_view others) {
  std::string name;
  for (const char letter : text) {
    const bool isAlnum = (letter >= '0' && letter <= '9') || (letter >= 'A' && letter <= 'Z') ||
                         (letter >= 'a' && letter <= 'z');
    name += isAlnum || others.find(letter) != others.npos ? letter : '_';
  }
  return name;
}

} // namespace

std::string fileName(std::string_view stem, std::string_view extension) {
  std::string name = plain(stem.substr(0, maxStem), "._+-");
  if (name.empty() || name[0] == '.' || name[0] == '-')
    name.insert(name.begin(), '_');
  if (!extension.empty())
    name += "." + plain(extension.substr(0, maxExtension), "_+-");
  return name;
}

} // namespace sextant
