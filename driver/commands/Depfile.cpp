// Writes one rule, and escapes blanks, `#` and `$` in names for make.
#include "driver/commands/Depfile.h"

namespace sextant {

static std::string escape(const std::string &name) {
  std::string text;
  for (char letter : name) {
    if (letter == ' ' || letter == '#')
      text += '\\';
    if (letter == '$')
      text += '$';
    text += letter;
  }
  return text;
}

std::string formatDepfile(const std::string &output, const std::vector<std::string> &dependencies) {
  std::string text = escape(output) + ":";
  for (const std::string &dependency : dependencies)
    text += " \\\n  " + escape(dependency);
  return text + "\n";
}

} // namespace sextant
