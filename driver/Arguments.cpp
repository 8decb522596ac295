// One walk over the command line.
#include "driver/Arguments.h"

#include "driver/CommandTable.h"
#include "driver/Help.h"
#include "driver/commands/MessageSections.h"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace sextant {
namespace {

/// No argument of a process has this letter. Operands begin with it on their way through the
/// parser, which would take some for options, for lists in brackets, or for marks of its own.
constexpr char operandMark = '\0';

/// The parser knows one-letter options and `--name`. It has other names for compilers' `-MD`, `-MF
/// file` and options with an optional `=value`.
std::string parserName(const std::string &argument) {
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

Refusal valueIs(const std::string &what, const std::string &option) {
  return {Problem::OptionValueWrong, "'" + option + "' has " + what,
          "give it a value, or leave the option out"};
}

/// An argument that begins with `-`, as a command reads it.
struct OptionWord {
  std::string word = {};    ///< for the parser
  std::string unknown = {}; ///< the option in it that the command does not have
  std::string open = {};    ///< the option whose value is the next argument
};

OptionWord readLong(const CLI::App &command, const std::string &argument, const std::string &word) {
  const std::string shown = argument.substr(0, argument.find('='));
  const size_t equals = word.find('=');
  const CLI::Option *option = command.get_option_no_throw(word.substr(0, equals));
  if (option && equals + 1 == word.size())
    throw valueIs("an empty value", shown);
  if (option && equals != word.npos && option->get_items_expected_max() == 0)
    throw Refusal(Problem::OptionValueWrong, "'" + shown + "' takes no value",
                  "leave '" + argument.substr(shown.size()) + "' out");
  const bool isOpen = option && equals == word.npos && option->get_items_expected_min() > 0;
  return {word, option ? "" : shown, isOpen ? shown : ""};
}

/// Flags of one letter each, and at the end an option with its value.
OptionWord readLetters(const CLI::App &command, const std::string &argument) {
  for (size_t at = 1; at < argument.size(); ++at) {
    const std::string name{'-', argument[at]};
    const CLI::Option *option = command.get_option_no_throw(name);
    if (!option)
      return {.unknown = at == 1 ? argument.substr(0, argument.find('=')) : name};
    if (option->get_items_expected_min() == 0)
      continue;
    if (argument.substr(at + 1) == "=")
      throw valueIs("an empty value", name);
    if (argument.compare(at + 1, 1, "=") == 0)
      throw Refusal(Problem::OptionValueWrong, "after '" + name + "' a value has no '='",
                    "write " + name + argument.substr(at + 2));
    return {.word = argument, .open = at + 1 == argument.size() ? name : ""};
  }
  return {.word = argument};
}

OptionWord readOption(const CLI::App &command, const std::string &argument) {
  std::string word = parserName(argument);
  if (!command.get_option_no_throw(word.substr(0, word.find('='))))
    word = argument;
  return word.starts_with("--") ? readLong(command, argument, word) : readLetters(command, word);
}

Misspelling unknownOption(const CLI::App &command, const std::string &option) {
  std::vector<std::string> known;
  for (const OptionRow &row : rowOf(command).options)
    for (const std::string &name : row.names)
      if (name.starts_with("--"))
        known.push_back(name);
  return {Problem::OptionUnknown,
          titleOf(command) + " has no option '" + option + "'",
          "",
          option,
          known,
          hintOf(command)};
}

/// The state of the walk between two arguments.
class Walk {
public:
  explicit Walk(const CLI::App &app) : app(app), command(&app) {}

  void take(const std::string &argument) {
    if (argument == "--" && !hasEnded) {
      checkOpen();
      hasEnded = true;
    } else if (!open.empty()) {
      if (argument.empty())
        throw valueIs("an empty value", open);
      words.push_back(argument);
      open.clear();
    } else if (hasEnded || argument.size() < 2 || argument[0] != '-' || !takeOption(argument)) {
      takeOperand(argument);
    }
  }

  std::vector<std::string> finish() {
    checkOpen();
    if (isHelp && !isExplained)
      words.emplace_back("--help");
    return std::move(words);
  }

private:
  const CLI::App &app, *command; ///< the program, until a command is named
  std::vector<std::string> words;
  std::string open; ///< the option whose value is next
  bool hasEnded = false, hasOperand = false;
  bool isHelp = false, isExplained = false; ///< `help`; it is about a message

  void checkOpen() const {
    if (!open.empty())
      throw valueIs("no value", open);
  }

  /// True where arguments that are not the command's are those of a program.
  bool isInProgram() const { return hasOperand && command->get_allow_extras(); }

  /// Returns false if the option is one of a program.
  bool takeOption(const std::string &argument) {
    const OptionWord option = readOption(*command, argument);
    if (option.unknown.empty()) {
      words.push_back(option.word);
      open = option.open;
    } else if (!isInProgram()) {
      throw unknownOption(*command, option.unknown);
    }
    return option.unknown.empty();
  }

  void takeOperand(const std::string &argument) {
    if (argument.empty() && !isInProgram())
      throw Refusal(Problem::OptionValueWrong, "an argument is empty",
                    "leave it out; a variable of a script or of a build may be unset");
    if (command == &app && argument == "help")
      isHelp = true;
    else if (command == &app)
      choose(argument);
    else if (isHelp)
      throw Refusal(Problem::OptionUnknown, "sextant help does not take '" + argument + "'",
                    "name one command, or one message");
    else
      addOperand(argument);
  }

  void addOperand(const std::string &argument) {
    words.push_back(operandMark + argument);
    hasOperand = true;
  }

  /// `help COMMAND` is `COMMAND --help`, and `help NAME` is `message NAME`.
  void choose(const std::string &name) {
    const std::vector<std::string> commands = commandNames(app);
    isExplained = isHelp && std::find(commands.begin(), commands.end(), name) == commands.end();
    if (isExplained)
      checkName("command or message", name, messageNames(), commands);
    else
      checkName("command", name, commands, {"help"});
    words.push_back(isExplained ? "message" : name);
    command = app.get_subcommand(words.back());
    if (isExplained)
      addOperand(name);
  }
};

} // namespace

std::vector<std::string> wordsForParser(const CLI::App &app,
                                        const std::vector<std::string> &arguments) {
  Walk walk(app);
  for (const std::string &argument : arguments)
    walk.take(argument);
  return walk.finish();
}

std::string operandOf(const std::string &word) {
  return word.starts_with(operandMark) ? word.substr(1) : word;
}

void takeOperands(CLI::App &app) {
  for (CLI::App *command : app.get_subcommands(nullptr))
    for (CLI::Option *option : command->get_options())
      if (option->get_positional())
        option->transform(operandOf);
      else
        option->allow_extra_args(false);
}

} // namespace sextant
