// Reads the table off the parser, and gives options the names that people write.
#include "driver/CommandTable.h"
#include "driver/Environment.h"
#include "frontend/spelling/Texts.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <map>
#include <sstream>

namespace sextant {
namespace {

/// The parser has other names for these.
const std::map<std::string, std::string> &spellings() {
  static const std::map<std::string, std::string> names{
      {"--depfile-beside", "-MD"},
      {"--depfile", "-MF"},
      {"--emit-header-beside", "--emit-header"},
      {"--save-temps-beside", "--save-temps"},
  };
  return names;
}

/// The part that a check appends to the type's name: "WHEN:{auto,always,never}".
std::vector<std::string> membersOf(const std::string &type) {
  const size_t begin = type.find(":{");
  if (begin == type.npos || !type.ends_with("}"))
    return {};
  std::vector<std::string> members;
  std::istringstream text(type.substr(begin + 2, type.size() - begin - 3));
  for (std::string member; std::getline(text, member, ',');)
    members.push_back(member);
  return members;
}

/// The fields that all rows of an option have.
OptionRow plainRow(const CLI::Option &option) {
  OptionRow row;
  row.description = option.get_description();
  row.group = option.get_group();
  row.isRequired = option.get_required();
  row.isList = option.get_items_expected_max() > 1;
  return row;
}

OptionRow argumentRow(const CLI::Option &option) {
  OptionRow row = plainRow(option);
  row.isArgument = true;
  row.names = {upper(option.get_name(true, false))};
  return row;
}

OptionRow namedRow(const CLI::Option &option) {
  OptionRow row = plainRow(option);
  const std::string checked = option.get_type_name();
  std::string name = option.get_name(false, true);
  // These values follow `=`.
  row.isValueOptional =
      name == "--emit-header" || name == "--save-temps" || name == "--dump-ir" || name == "--color";
  if (auto known = spellings().find(name); known != spellings().end())
    name = known->second;
  std::istringstream names(name);
  for (std::string one; std::getline(names, one, ',');)
    row.names.push_back(one);
  if (option.get_items_expected_max() == 0)
    return row;
  const std::string type = checked.substr(0, checked.find(':'));
  row.value = type == "TEXT" || type.empty()    ? "VALUE"
              : type == "UINT" || type == "INT" ? "N"
                                                : type;
  row.choices = membersOf(checked);
  return row;
}

/// The place of a row in help: what to write and what to build for come first, help itself last.
constexpr int lastRank = 3;
int rankOf(const OptionRow &row) {
  const std::string &name = row.names.front();
  return name == "-o" ? 0 : name == "-t" ? 1 : name == "-h" ? lastRank : 2;
}

} // namespace

OptionRow rowOf(const CLI::Option &option) {
  return option.get_positional() ? argumentRow(option) : namedRow(option);
}

CommandRow rowOf(const CLI::App &command) {
  CommandRow row{command.get_parent() ? command.get_name() : "",
                 command.get_group(),
                 command.get_description(),
                 command.get_footer(),
                 {}};
  std::vector<OptionRow> all;
  for (const CLI::Option *option : command.get_options()) {
    all.push_back(rowOf(*option));
    if (option->get_positional() && option->nonpositional()) { // an argument that has names, too
      all.push_back(namedRow(*option));
      all.back().description = "the same as " + argumentRow(*option).names.front();
    }
  }
  for (int rank = 0; rank <= lastRank; ++rank)
    std::copy_if(all.begin(), all.end(), std::back_inserter(row.options),
                 [rank](const OptionRow &option) { return rankOf(option) == rank; });
  return row;
}

std::vector<std::string> groupsOf(const CommandRow &command) {
  std::vector<std::string> groups;
  for (const OptionRow &option : command.options)
    if (!option.isArgument && std::find(groups.begin(), groups.end(), option.group) == groups.end())
      groups.push_back(option.group);
  return groups;
}

std::vector<CommandRow> commandTable(const CLI::App &app) {
  std::vector<CommandRow> table{rowOf(app)};
  for (const CLI::App *command : app.get_subcommands(nullptr))
    table.push_back(rowOf(*command));
  return table;
}

std::vector<std::string> commandNames(const CLI::App &app) {
  std::vector<std::string> names;
  for (const CLI::App *command : app.get_subcommands(nullptr))
    names.push_back(command->get_name());
  return names;
}

namespace {

/// Returns where an argument has the word, as one of its parts.
std::optional<size_t> placeIn(const std::string &argument, const std::string &word, size_t from) {
  const auto isPart = [&](size_t at) {
    return at < argument.size() && (std::isalnum(static_cast<unsigned char>(argument[at])) ||
                                    argument[at] == '_' || argument[at] == '-');
  };
  for (size_t at = from; (at = argument.find(word, at)) != argument.npos; ++at)
    if ((at == from || !isPart(at - 1) || argument.substr(from, at - from) == "no-") &&
        !isPart(at + word.size()))
      return at;
  return std::nullopt;
}

/// Returns the argument and the place in it where the misspelt word stands.
std::optional<std::pair<size_t, size_t>> placeOf(const std::vector<std::string> &arguments,
                                                 const Misspelling &wrong) {
  const std::string &option = wrong.option;
  for (size_t k = 0; k < arguments.size(); ++k) {
    const std::string &argument = arguments[k];
    std::optional<size_t> place;
    if (option.empty())
      place =
          argument.substr(0, argument.find('=')) == wrong.word ? std::optional(size_t(0)) : place;
    else if (k != 0 && arguments[k - 1] == option)
      place = placeIn(argument, wrong.word, 0);
    else if (argument.starts_with(option.size() == 2 ? option : option + "="))
      place = placeIn(argument, wrong.word, option.size() == 2 ? 2 : option.size() + 1);
    if (place)
      return std::pair(k, *place);
  }
  return std::nullopt;
}

} // namespace

PlacedRefusal placed(const std::vector<std::string> &arguments, const Misspelling &wrong) {
  const auto place = wrong.near.empty() ? std::nullopt : placeOf(arguments, wrong);
  if (!place)
    return {wrong.problem, nullptr, {}, wrong.what(), wrong.fix};
  std::string lines;
  uint32_t begin = 0;
  for (size_t k = 0; k < arguments.size(); ++k) {
    if (k == place->first)
      begin = uint32_t(lines.size() + place->second);
    lines += arguments[k] + "\n";
  }
  const auto file = std::make_shared<SourceFile>("command line", lines);
  const SourceRange at{file.get(), begin, begin + uint32_t(wrong.word.size())};
  return {wrong.problem, file, {}, wrong.what(), {wrong.fix, {{at, wrong.near.front()}}, true}};
}

void checkName(const std::string &what, const std::string &name,
               const std::vector<std::string> &names, const std::vector<std::string> &others) {
  if (std::find(names.begin(), names.end(), name) != names.end())
    return;
  std::vector<std::string> known = names;
  known.insert(known.end(), others.begin(), others.end());
  throw Misspelling(Problem::CommandUnknown, "there is no " + what + " '" + name + "'", "", name,
                    known, "`sextant --help` lists the commands");
}

std::string synopsisOf(const CommandRow &command) {
  if (command.name.empty())
    return "sextant [OPTIONS] COMMAND …";
  std::string text = "sextant " + command.name + " [OPTIONS]";
  for (const OptionRow &option : command.options) {
    if (!option.isArgument)
      continue;
    const std::string name = option.names.front() + (option.isList ? "…" : "");
    text += option.isRequired ? " " + name : " [" + name + "]";
  }
  return text;
}

std::string spelled(const OptionRow &option) {
  std::string text = joined(option.names);
  if (!option.value.empty())
    text += (option.isValueOptional ? "=" : " ") + option.value;
  return text;
}

} // namespace sextant
