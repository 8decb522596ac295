// Writes man(7) macros.
#include "driver/ManPage.h"

#include "driver/Environment.h"
#include "frontend/spelling/Texts.h"

#include <algorithm>
#include <utility>

namespace sextant {
namespace {

/// Text as roff reads it: a backslash and a dash are themselves, and no line begins a request.
std::string roff(const std::string &text) {
  std::string result;
  for (size_t at = 0; at < text.size(); ++at) {
    const char letter = text[at];
    if ((letter == '.' || letter == '\'') && (at == 0 || text[at - 1] == '\n'))
      result += "\\&";
    if (text.compare(at, 3, "…") == 0) {
      result += "...";
      at += 2;
    } else if (letter == '\\') {
      result += "\\e";
    } else if (letter == '-') {
      result += "\\-";
    } else {
      result += letter;
    }
  }
  return result;
}

std::string entry(const std::string &name, const std::string &text) {
  return ".TP\n.B " + roff(name) + "\n" + roff(text) + "\n";
}

/// The options of each group under its heading, in the order of the groups' first options.
std::string options(const CommandRow &command) {
  std::string text = ".SH OPTIONS\n";
  const std::vector<std::string> groups = groupsOf(command);
  for (const std::string &group : groups) {
    if (group != "Options" || group != groups.front())
      text += ".SS " + roff(group) + "\n";
    for (const OptionRow &option : command.options)
      if (!option.isArgument && option.group == group)
        text += entry(spelled(option), option.description);
  }
  return text;
}

std::string commands(const std::vector<CommandRow> &table) {
  std::string text, group;
  text = ".SH COMMANDS\n";
  for (const CommandRow &command : table) {
    if (command.name.empty())
      continue;
    if (command.group != group)
      text += ".SS " + roff(group = command.group) + "\n";
    text +=
        ".TP\n.BR sextant\\-" + roff(command.name) + " (1)\n" + roff(command.description) + "\n";
  }
  return text;
}

/// The text that help shows below the options: examples as they are, then text.
std::string footer(const std::string &text) {
  const std::string heading = "Examples:";
  if (!text.starts_with(heading))
    return text.empty() ? "" : ".SH NOTES\n" + roff(text) + "\n";
  const size_t end = std::min(text.find("\n\n"), text.size());
  std::string examples = text.substr(heading.size(), end - heading.size());
  examples.erase(0, examples.find_first_not_of('\n'));
  std::string page = ".SH EXAMPLES\n.nf\n" + roff(examples) + "\n.fi\n";
  if (end + 2 < text.size())
    page += ".SH NOTES\n" + roff(text.substr(end + 2)) + "\n";
  return page;
}

} // namespace

std::string manPage(const std::vector<CommandRow> &table, const CommandRow &command,
                    const std::string &version) {
  const std::string &name = command.name;
  const std::string title = name.empty() ? "sextant" : "sextant-" + name;
  std::string text = ".\\\" Made by `sextant man`.\n.TH " + roff(upper(title)) +
                     " 1 \"\" \"sextant " + roff(version) + "\" \"User Commands\"\n.SH NAME\n" +
                     roff(title) + " \\- " + roff(command.description) + "\n.SH SYNOPSIS\n.B " +
                     roff(synopsisOf(command)) + "\n";
  if (name.empty())
    text += commands(table);
  bool hasArguments = false;
  for (const OptionRow &option : command.options)
    if (option.isArgument) {
      text += (std::exchange(hasArguments, true) ? "" : ".SH ARGUMENTS\n") +
              entry(option.names.front(), option.description);
    }
  text += options(command) + footer(command.footer);
  text += ".SH SEE ALSO\n";
  return text + (name.empty() ? "The manual is " + roff(pageName("command.md")) + ".\n"
                              : ".BR sextant (1)\n");
}

} // namespace sextant
