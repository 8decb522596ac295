// Response files, in the form of GNU tools: words between blanks, '…' and "…" around words with
// blanks, and a backslash before a letter that is meant literally.
#include "driver/Arguments.h"

#include "driver/CommandTable.h"
#include "driver/commands/MessageSections.h"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace sextant {
namespace {

std::vector<std::string> splitWords(const std::string &text, const std::string &path) {
  std::vector<std::string> words;
  std::string word;
  bool inWord = false;
  char quote = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    const char letter = text[at];
    const bool isBlank = letter == ' ' || letter == '\t' || letter == '\n' || letter == '\r';
    if (letter == '\\' && quote != '\'' && at + 1 < text.size()) {
      word += text[++at];
      inWord = true;
    } else if (quote ? letter == quote : letter == '"' || letter == '\'') {
      quote = quote ? 0 : letter;
      inWord = true;
    } else if (isBlank && !quote) {
      if (inWord)
        words.push_back(std::move(word));
      word.clear();
      inWord = false;
    } else {
      word += letter;
      inWord = true;
    }
  }
  if (quote)
    throw Refusal(Problem::ArgumentFileWrong, "'@" + path + "': a " + quote + " is not closed");
  if (inWord)
    words.push_back(std::move(word));
  return words;
}

void expand(const std::vector<std::string> &from, const Environment &environment, unsigned depth,
            std::vector<std::string> &to) {
  for (size_t index = 0; index < from.size(); ++index) {
    const std::string &argument = from[index];
    if (argument == "--") { // the rest is literal
      to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(index), from.end());
      return;
    }
    if (argument.size() < 2 || argument[0] != '@') {
      to.push_back(argument);
      continue;
    }
    if (depth == 10)
      throw Refusal(Problem::ArgumentFileWrong,
                    "'" + argument + "': files of arguments name each other more than 10 deep");
    const std::string path = argument.substr(1);
    expand(splitWords(readFile(environment, path), path), environment, depth + 1, to);
  }
}

/// The parser knows one-letter options and `--name`. It has other names for compilers' `-MD`, `-MF
/// file` and options with an optional `=value`.
std::string optionName(const std::string &argument) {
  if (argument == "-MD")
    return "--depfile-beside";
  if (argument == "-MF")
    return "--depfile";
  if (argument.starts_with("-MF"))
    return "--depfile=" + argument.substr(3);
  if (argument == "--dump-ir")
    return "--dump-ir=all";
  if (argument == "--save-temps")
    return "--save-temps-beside";
  if (argument == "--emit-header")
    return "--emit-header-beside";
  if (argument == "--color")
    return "--color=always";
  return argument;
}

} // namespace

std::vector<std::string> prepareArguments(const std::vector<std::string> &arguments,
                                          const Environment &environment) {
  std::vector<std::string> prepared;
  expand(arguments, environment, 0, prepared);
  // `help COMMAND` is `COMMAND --help`, and `help NAME` is `message NAME`.
  if (!prepared.empty() && prepared.front() == "help") {
    prepared.resize(std::min<size_t>(prepared.size(), 2));
    if (prepared.size() == 2 && !messageSection(prepared.back()).empty()) {
      prepared.front() = "message";
    } else {
      prepared.erase(prepared.begin());
      prepared.push_back("--help");
    }
  }
  for (std::string &argument : prepared) {
    if (argument == "--")
      break;
    argument = optionName(argument);
  }
  return prepared;
}

void refuseEmpty(const CLI::App &command, const std::vector<std::string> &arguments) {
  auto valueIsEmpty = [](const std::string &name) {
    return Refusal(Problem::OptionValueWrong, "'" + name + "' has an empty value",
                   "give it a value, or leave the option out");
  };
  bool hasArgument = false;
  std::string open; // the option whose value is next
  for (const std::string &argument : arguments) {
    if (argument == "--")
      return; // the rest is literal
    if (argument.empty() && !open.empty())
      throw valueIsEmpty(open);
    // A command that takes another program's arguments takes them as they are.
    if (argument.empty() && !(hasArgument && command.get_allow_extras()))
      throw Refusal(Problem::OptionValueWrong, "an argument is empty",
                    "leave it out; a variable of a script or of a build may be unset");
    const bool isOption = argument.size() > 1 && argument[0] == '-';
    hasArgument = hasArgument || (!isOption && open.empty());
    open.clear();
    if (!isOption)
      continue;
    const std::string name = argument.substr(0, argument.find('='));
    const CLI::Option *option = command.get_option_no_throw(name);
    if (!option)
      continue;
    const std::vector<std::string> names = rowOf(*option).names; // as people write them
    const bool isKnown =
        option->get_positional() || std::find(names.begin(), names.end(), name) != names.end();
    const std::string &shown = isKnown ? name : names.front();
    if (argument.size() == name.size() + 1)
      throw valueIsEmpty(shown);
    if (argument == name && option->get_items_expected_min() > 0)
      open = shown;
  }
}

} // namespace sextant
