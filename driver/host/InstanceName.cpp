// Finds kernels by the names that people use.
#include "driver/host/InstanceName.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <sstream>

namespace sextant {
namespace {

/// Splits `text` at underscores, as names of instances are made: `a_b` is a, b. Numbers come after
/// other words and keep their order, because the name has the kernel's order of parameters and the
/// user may have another. Two numbers, or two other words, could be each other's value.
std::vector<std::string> wordsByKind(const std::string &text) {
  std::vector<std::string> words, numbers;
  std::stringstream rest(text);
  for (std::string word; std::getline(rest, word, '_');)
    if (!word.empty()) {
      const char first = word[word.size() > 1 && word[0] == 'm'];
      (std::isdigit(static_cast<unsigned char>(first)) ? numbers : words).push_back(word);
    }
  words.insert(words.end(), numbers.begin(), numbers.end());
  return words;
}

/// Returns the text of a real in six places, as names of instances have it, if that is all of it.
std::optional<std::string> realIn(const std::string &value) {
  char *end = nullptr;
  const double real = std::strtod(value.c_str(), &end);
  if (value.find_first_of(".e") == value.npos || *end)
    return std::nullopt;
  std::string text = std::to_string(real);
  return std::strtod(text.c_str(), nullptr) == real ? std::optional(text) : std::nullopt;
}

/// Returns a value as it appears in an instance's name: `qd.i32` is i32, `-3` is m3, 0.5 is
/// 0p500000.
std::string wordOf(std::string value) {
  if (std::optional<std::string> real = realIn(value)) {
    std::ranges::replace(*real, '-', 'm');
    std::ranges::replace(*real, '.', 'p');
    return *real;
  }
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
  const auto trimmed = [](std::string text) {
    text.erase(0, text.find_first_not_of(' '));
    return text.erase(text.find_last_not_of(' ') + 1);
  };
  for (std::string item; std::getline(items, item, ',');) {
    const size_t equals = item.find('=');
    if (equals == std::string::npos)
      return name;
    values += "_" + wordOf(trimmed(item.substr(equals + 1)));
  }
  std::string meant;
  for (const std::string &instance : instances)
    if (instance.starts_with(kernel + "_") &&
        wordsByKind(instance.substr(kernel.size())) == wordsByKind(values)) {
      if (!meant.empty())
        return name; // two that differ only in the order
      meant = instance;
    }
  return meant.empty() ? name : meant;
}

} // namespace sextant
