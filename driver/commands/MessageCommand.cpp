// `sextant message`: explains a message by its name. `sextant help NAME` is the same.
#include "driver/commands/Commands.h"
#include "driver/commands/MessageSections.h"
#include "driver/commands/Messages.h"

#include <CLI/CLI.hpp>

namespace sextant {

void addMessageCommand(CLI::App &app, Environment &environment, Actions &actions) {
  auto name = std::make_shared<std::string>();
  CLI::App *command = app.add_subcommand(
      "message", "Explain a message by its name: its cause, an example, and the cure");
  command->add_option("name", *name, "the name, as `compile` and --diagnostics=json tell it")
      ->required();
  actions[command] = [&environment, name] {
    const std::string section = messageSection(*name);
    if (section.empty())
      throw Misspelling(Problem::MessageUnknown, "no message has the name '" + *name + "'", "",
                        *name, messageNames(), "docs/messages has all that have one");
    environment.out << section;
    return 0;
  };
}

} // namespace sextant
