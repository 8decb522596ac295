// In the form of GNU tools: words between blanks, '…' and "…" around words with blanks, and a
// backslash before a letter that is meant literally.
#include "driver/ArgumentFiles.h"

namespace sextant {
namespace {

std::vector<std::string> splitWords(const std::string &text, const std::string &path) {
  if (text.find('\0') != text.npos)
    throw Refusal(Problem::ArgumentFileWrong,
                  "'@" + path + "' is not a file of arguments: it is binary",
                  "write './@…' for a file whose name begins with '@'");
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

/// Returns true if the arguments had `--`. Then those after this file are literal, too.
bool expand(const std::vector<std::string> &from, const Environment &environment, unsigned depth,
            std::vector<std::string> &to) {
  bool isLiteral = false;
  for (const std::string &argument : from) {
    isLiteral = isLiteral || argument == "--";
    if (isLiteral || argument.size() < 2 || argument[0] != '@') {
      to.push_back(argument);
      continue;
    }
    if (depth == 10)
      throw Refusal(Problem::ArgumentFileWrong,
                    "'" + argument + "': files of arguments name each other more than 10 deep");
    const std::string path = argument.substr(1);
    isLiteral = expand(splitWords(readFile(environment, path), path), environment, depth + 1, to);
  }
  return isLiteral;
}

} // namespace

std::vector<std::string> expandFiles(const std::vector<std::string> &arguments,
                                     const Environment &environment) {
  std::vector<std::string> expanded;
  expand(arguments, environment, 0, expanded);
  return expanded;
}

} // namespace sextant
