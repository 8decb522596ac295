// The command line as a table of plain values. Help, completions and manual pages are made of it,
// so that they say the same.
#pragma once

#include "driver/commands/Messages.h"

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace sextant {

/// An option, or an argument without a name of its own.
struct OptionRow {
  std::vector<std::string>
      names;         ///< as people write them: "-o", "--output"; of an argument "SOURCES"
  std::string value; ///< a word for the value: "FILE"; "" if the option takes none
  bool isValueOptional = false; ///< the value follows `=` or is left out
  bool isArgument = false, isRequired = false, isList = false;
  std::vector<std::string> choices; ///< the only values; empty: there are others
  std::string description;
  std::string group; ///< a heading, such as "What is written"
};

struct CommandRow {
  std::string name;               ///< "compile"; of the program itself ""
  std::string group;              ///< a heading, such as "Build"
  std::string description;        ///< one sentence without a full stop
  std::string footer;             ///< "Examples:", the examples, and what else there is to say
  std::vector<OptionRow> options; ///< in the order of help
};

/// An option that may also be given as an argument is the argument here.
OptionRow rowOf(const CLI::Option &option);
/// \param command one of the program's, or the program
CommandRow rowOf(const CLI::App &command);

/// The headings of a command's options, in the order of help.
std::vector<std::string> groupsOf(const CommandRow &command);

/// The program itself, then its commands in the order of its help.
std::vector<CommandRow> commandTable(const CLI::App &app);

std::vector<std::string> commandNames(const CLI::App &app);
/// Returns the refusal with an edit of the arguments, each of which is a line.
PlacedRefusal placed(const std::vector<std::string> &arguments, const Misspelling &wrong);
/// Throws Misspelling if the name is not one of `names`. \param what they are: "command"
/// \param others may be meant too
void checkName(const std::string &what, const std::string &name,
               const std::vector<std::string> &names, const std::vector<std::string> &others = {});

/// "sextant diff [OPTIONS] BEFORE AFTER"
std::string synopsisOf(const CommandRow &command);

/// The names, and the word for the value: "-o, --output FILE"
std::string spelled(const OptionRow &option);

} // namespace sextant
