// The commands that tell of the command line itself: `sextant completions` and `sextant man`.
#include "driver/CommandTable.h"
#include "driver/Completions.h"
#include "driver/ManPage.h"
#include "driver/Version.h"
#include "driver/commands/Commands.h"
#include "driver/commands/OneOf.h"
#include "driver/compile/Targets.h"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace sextant {

/// The words that a list of targets may have.
static std::vector<std::string> targetWords() {
  std::vector<std::string> words{"all", "all-major", "native"};
  for (const ArchRow &row : listArchs()) {
    if (std::find(words.begin(), words.end(), row.backend) == words.end())
      words.push_back(row.backend);
    if (row.arch.find_first_not_of("0123456789.") != row.arch.npos) // else it needs its backend
      words.push_back(row.arch);
  }
  return words;
}

void addCompletionsCommand(CLI::App &app, Environment &environment, Actions &actions) {
  auto shell = std::make_shared<std::string>();
  CLI::App *completions =
      app.add_subcommand("completions", "Print a script by which a shell completes sextant");
  completions->add_option("shell", *shell, "bash, zsh or fish")
      ->required()
      ->check(oneOf("", {"bash", "zsh", "fish"}));
  actions[completions] = [&app, &environment, shell] {
    environment.out << completionsFor(*shell, commandTable(app), targetWords());
    return 0;
  };
}

void addManCommand(CLI::App &app, Environment &environment, Actions &actions) {
  auto name = std::make_shared<std::string>(), folder = std::make_shared<std::string>();
  CLI::App *man = app.add_subcommand("man", "Print a manual page, for `man`");
  man->add_option("command", *name, "the command that it is about; default: sextant itself");
  man->add_option("--all", *folder,
                  "write every page to this folder: sextant.1, sextant-compile.1, …")
      ->type_name("FOLDER");
  actions[man] = [&app, &environment, name, folder] {
    if (!name->empty())
      checkName("command", *name, commandNames(app));
    const std::vector<CommandRow> table = commandTable(app);
    if (folder->empty()) {
      const CLI::App &command = name->empty() ? app : *app.get_subcommand(*name);
      environment.out << manPage(table, rowOf(command), compilerVersion());
      return 0;
    }
    for (const CommandRow &command : table)
      writeFile(environment,
                *folder + "/sextant" + (command.name.empty() ? "" : "-") + command.name + ".1",
                manPage(table, command, compilerVersion()));
    return 0;
  };
}

} // namespace sextant
