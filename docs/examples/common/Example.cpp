// Options, checks and errors of the small applications.
#include "Example.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <stdexcept>

Options::Options(int count, char **words, const std::vector<std::string> &names) {
  for (int i = 1; i < count; i += 2) {
    const std::string word = words[i];
    const bool known = word.starts_with("--") &&
                       std::find(names.begin(), names.end(), word.substr(2)) != names.end();
    if (!known || i + 1 == count) {
      std::string usage = "usage:";
      for (const std::string &name : names)
        usage += " [--" + name + " VALUE]";
      throw std::runtime_error(usage);
    }
    values[word.substr(2)] = words[i + 1];
  }
}

std::string Options::get(const std::string &name, const std::string &otherwise) const {
  const auto found = values.find(name);
  return found == values.end() ? otherwise : found->second;
}

double Options::number(const std::string &name, double otherwise) const {
  const std::string text = get(name);
  if (text.empty())
    return otherwise;
  size_t used = 0;
  double value = 0;
  try {
    value = std::stod(text, &used);
  } catch (const std::exception &) {
    used = 0;
  }
  if (used != text.size())
    throw std::runtime_error("--" + name + " takes a number, not '" + text + "'");
  return value;
}

int runExample(int count, char **words, void (*example)(const Options &),
               std::vector<std::string> more) {
  try {
    std::vector<std::string> names = {"out", "device"};
    names.insert(names.end(), more.begin(), more.end());
    example(Options(count, words, names));
    return 0;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s: %s\n", words[0], error.what());
    return 1;
  }
}

double largerError(double one, double other) {
  return std::isnan(one) || one >= other ? one : other;
}

void expectAtMost(const char *what, double found, double most) {
  std::printf("%s: %.3g (at most %.3g)\n", what, found, most);
  if (!(found <= most))
    throw std::runtime_error(std::string(what) + " is more than it may be");
}
