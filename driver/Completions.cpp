// One writer a shell. Sources: the manuals of bash ("Programmable Completion"), of zsh
// ("Completion System", _arguments) and of fish ("Writing your own completions").
#include "driver/Completions.h"
#include "frontend/spelling/Texts.h"

#include <algorithm>

namespace sextant {
namespace {

bool isTargets(const OptionRow &option) {
  return std::find(option.names.begin(), option.names.end(), "--targets") != option.names.end();
}

/// The text between two single quotes of a shell. \param quote what stands for a quote in it
std::string quoted(const std::string &text, const char *quote) {
  std::string result = "'";
  for (char letter : text)
    if (letter == '\'')
      result += quote;
    else
      result += letter;
  return result + "'";
}

//===--- bash --------------------------------------------------------------===//

std::string bash(const std::vector<CommandRow> &table, const std::vector<std::string> &targets) {
  std::string values, options, commands = "help";
  for (const CommandRow &command : table) {
    std::string names;
    for (const OptionRow &option : command.options) {
      if (option.isArgument)
        continue;
      names += (names.empty() ? "" : " ") + joined(option.names, " ");
      if (!option.choices.empty() || isTargets(option)) {
        for (const std::string &name : option.names)
          values += (&name == &option.names.front() ? "  " : " | ") + command.name + ":" + name;
        values += isTargets(option) ? ") words='" + joined(targets, " ") + "' list=yes ;;\n"
                                    : ") words='" + joined(option.choices, " ") + "' ;;\n";
      }
    }
    options += "  '" + command.name + "') words='" + names + "' ;;\n";
    if (!command.name.empty())
      commands += " " + command.name;
  }
  return R"(# Completion of sextant for bash: made by `sextant completions bash`.
_sextant() {
  local current=${COMP_WORDS[COMP_CWORD]} previous= command= words= list= done= word
  [ "$COMP_CWORD" -gt 0 ] && previous=${COMP_WORDS[COMP_CWORD - 1]}
  # `=` is a word of its own.
  if [ "$current" = = ]; then
    current=
  elif [ "$previous" = = ]; then
    previous=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for word in "${COMP_WORDS[@]:1:COMP_CWORD - 1}"; do
    case $word in
    -* | =) ;;
    *)
      command=$word
      break
      ;;
    esac
  done
  COMPREPLY=()
  case "$command:$previous" in
)" + values +
         R"(  esac
  if [ -n "$words" ]; then
    # Of a list with commas, the last one is completed.
    [ -n "$list" ] && [ "$current" != "${current%,*}" ] && done=${current%,*},
    COMPREPLY=($(compgen -P "$done" -W "$words" -- "${current#"$done"}"))
    return
  fi
  if [ -z "$command" ] && [ "${current#-}" = "$current" ] || [ "$command" = help ]; then
    COMPREPLY=($(compgen -W ")" +
         commands + R"(" -- "$current"))
    return
  fi
  [ "${current#-}" = "$current" ] && return # files
  case $command in
)" + options +
         R"(  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o bashdefault -o default -F _sextant sextant
)";
}

//===--- zsh ---------------------------------------------------------------===//

/// Text in a specification of _arguments or _describe, in which some letters mean something.
std::string zshText(const std::string &text, const char *special) {
  std::string result;
  for (char letter : text) {
    if (std::string_view(special).find(letter) != std::string_view::npos)
      result += '\\';
    result += letter;
  }
  return result;
}

std::string zshOption(const OptionRow &option, const std::vector<std::string> &targets) {
  const std::string text = "[" + zshText(option.description, "[]\\:") + "]";
  std::string action;
  if (!option.value.empty()) {
    const std::string what = isTargets(option) ? "_values -s , target " + joined(targets, " ")
                             : option.choices.empty() ? "_files"
                                                      : "(" + joined(option.choices, " ") + ")";
    action = ":" + option.value + ":" + what;
  }
  std::string lines;
  for (const std::string &name : option.names) {
    // A value follows a long name after `=` or as the next word.
    const bool isLong = name.starts_with("--");
    const char *how = option.value.empty()     ? ""
                      : option.isValueOptional ? "=-"
                      : isLong                 ? "="
                                               : "+";
    const std::string colon = option.isValueOptional && !option.value.empty() ? ":" : "";
    lines += " \\\n      " + quoted("*" + name + how + text + colon + action, "'\\''");
  }
  return lines;
}

std::string zsh(const std::vector<CommandRow> &table, const std::vector<std::string> &targets) {
  std::string commands, cases, common;
  for (const CommandRow &command : table) {
    std::string options;
    for (const OptionRow &option : command.options)
      if (!option.isArgument)
        options += zshOption(option, targets);
    if (command.name.empty()) {
      common = options;
      continue;
    }
    commands +=
        "    " + quoted(command.name + ":" + zshText(command.description, "\\:"), "'\\''") + "\n";
    cases += "    " + command.name + ")\n      _arguments -s" + options +
             " \\\n      '*:file:_files'\n      ;;\n";
  }
  return R"(#compdef sextant
# Completion of sextant for zsh: made by `sextant completions zsh`.
_sextant() {
  local state line
  local -a commands
  commands=(
    'help:Show the options and examples of a command'
)" + commands +
         R"(  )
  _arguments -C -s)" +
         common + R"( \
      '1:command:->command' \
      '*::argument:->arguments'
  case $state in
  command) _describe command commands ;;
  arguments)
    case $line[1] in
    help) _describe command commands ;;
)" + cases +
         R"(    esac
    ;;
  esac
}
if [ "$funcstack[1]" = _sextant ]; then
  _sextant "$@"
else
  compdef _sextant sextant
fi
)";
}

//===--- fish --------------------------------------------------------------===//

std::string fishOption(const std::string &when, const OptionRow &option,
                       const std::vector<std::string> &targets) {
  std::string line = "complete -c sextant -n " + quoted(when, "\\'");
  for (const std::string &name : option.names)
    line += name.starts_with("--") ? " -l " + name.substr(2)
            : name.size() == 2     ? " -s " + name.substr(1)
                                   : " -o " + name.substr(1);
  if (!option.value.empty() && !option.isValueOptional)
    line += " -r";
  if (isTargets(option))
    line += " -f -a \"(__fish_append , " + joined(targets, " ") + ")\"";
  else if (!option.choices.empty())
    line += " -f -a " + quoted(joined(option.choices, " "), "\\'");
  return line + " -d " + quoted(option.description, "\\'") + "\n";
}

std::string fish(const std::vector<CommandRow> &table, const std::vector<std::string> &targets) {
  std::string text = "# Completion of sextant for fish: made by `sextant completions fish`.\n"
                     "complete -c sextant -n __fish_use_subcommand -f -a help "
                     "-d 'Show the options and examples of a command'\n";
  std::string names;
  for (const CommandRow &command : table)
    if (!command.name.empty()) {
      text += "complete -c sextant -n __fish_use_subcommand -f -a " + command.name + " -d " +
              quoted(command.description, "\\'") + "\n";
      names += (names.empty() ? "" : " ") + command.name;
    }
  text += "complete -c sextant -n '__fish_seen_subcommand_from help' -f -a '" + names + "'\n";
  for (const CommandRow &command : table)
    for (const OptionRow &option : command.options)
      if (!option.isArgument)
        text += fishOption(command.name.empty() ? "__fish_use_subcommand"
                                                : "__fish_seen_subcommand_from " + command.name,
                           option, targets);
  return text;
}

} // namespace

std::string completionsFor(const std::string &shell, const std::vector<CommandRow> &table,
                           const std::vector<std::string> &targets) {
  return shell == "bash"  ? bash(table, targets)
         : shell == "zsh" ? zsh(table, targets)
                          : fish(table, targets);
}

} // namespace sextant
