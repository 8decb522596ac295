// Finds kernels by the names that people use.
#include "driver/host/InstanceName.h"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace sextant {
namespace {

/// Splits `text` at underscores, as names of instances are made: `a_b` is a, b. The parts are
/// sorted, because the name has the kernel's order of parameters and the user may have another.
std::vector<std::string> sortedWords(const std::string &text) {
  std::vector<std::string> words;
  std::stringstream rest(text);
  for (std::string word; std::getline(rest, word, '_');)
    if (!word.empty())
      words.push_back(word);
  std::sort(words.begin(), words.end());
  return words;
}

/// Returns a value as it appears in an instance's name: `qd.i32` is i32, `-3` is m3.
std::string wordOf(std::string value) {
  if (size_t dot = value.rfind('.'); dot != std::string::npos && !std::isdigit(value[0]))
    value.erase(0, dot + 1);
  std::string word;
  for (char letter : value)
    if (letter == '-')
      word += 'm';
    else if (std::isalnum(static_cast<unsigned char>(letter)))
      word += letter;
    else
      word += '_';
  return word;
}

} // namespace

std::string instanceMeant(const std::string &name, const std::vector<std::string> &instances) {
  const size_t open = name.find('[');
  if (open == std::string::npos || !name.ends_with(']') ||
      std::find(instances.begin(), instances.end(), name) != instances.end())
    return name;
  std::string kernel = name.substr(0, open);
  std::replace(kernel.begin(), kernel.end(), '.', '_'); // of a method
  std::string values;
  std::stringstream items(name.substr(open + 1, name.size() - open - 2));
  for (std::string item; std::getline(items, item, ',');) {
    const size_t equals = item.find('=');
    if (equals == std::string::npos)
      return name;
    values += "_" + wordOf(item.substr(equals + 1));
  }
  std::string meant;
  for (const std::string &instance : instances)
    if (instance.starts_with(kernel + "_") &&
        sortedWords(instance.substr(kernel.size())) == sortedWords(values)) {
      if (!meant.empty())
        return name; // two that differ in the order alone
      meant = instance;
    }
  return meant.empty() ? name : meant;
}

} // namespace sextant
