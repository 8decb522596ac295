// The text of `--help`. Options describe themselves where they are added; this file makes the page.
#include "driver/Help.h"

#include "driver/CommandTable.h"
#include "driver/Environment.h"

#include <CLI/CLI.hpp>

namespace sextant {
namespace {

struct Page {
  const char *command, *group, *examples;
};

constexpr Page pages[] = {
#define COMMAND(NAME, WORD, GROUP, EXAMPLES) {WORD, GROUP, EXAMPLES},
#include "driver/commands/Commands.def"
#undef COMMAND
};

/// Wraps `text` to `width` letters. All lines but the first begin with `indent` blanks.
std::string wrap(const std::string &text, size_t indent, size_t width) {
  std::string result, word;
  size_t column = 0;
  std::istringstream words(text);
  while (words >> word) {
    if (column && column + 1 + word.size() > width) {
      result += "\n" + std::string(indent, ' ');
      column = 0;
    } else if (column) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
  }
  return result + "\n";
}

/// "usage: sextant diff [OPTIONS] BEFORE AFTER"
std::string usageOf(const CLI::App &command) { return "usage: " + synopsisOf(rowOf(command)); }

class HelpText : public CLI::Formatter {
public:
  std::string make_usage(const CLI::App *app, std::string) const override {
    return usageOf(*app) + "\n";
  }

  std::string make_description(const CLI::App *app) const override {
    return app->get_description() + "\n\n";
  }

  std::string make_help(const CLI::App *app, std::string name,
                        CLI::AppFormatMode mode) const override {
    std::string text = make_description(app) + make_usage(app, std::move(name)) +
                       options(rowOf(*app)) + make_subcommands(app, mode) + "\n" + make_footer(app);
    for (size_t at; (at = text.find("\n\n\n")) != std::string::npos;)
      text.erase(at, 1);
    return text;
  }

  std::string make_subcommand(const CLI::App *command) const override {
    return row(command->get_name(), command->get_description());
  }

private:
  static std::string options(const CommandRow &command) {
    std::string text, arguments;
    for (const OptionRow &option : command.options)
      if (option.isArgument)
        arguments += row(option.names.front(), option.description);
    if (!arguments.empty())
      text += "\nArguments:\n" + arguments;
    for (const std::string &group : groupsOf(command)) {
      text += "\n" + group + ":\n";
      for (const OptionRow &option : command.options)
        if (!option.isArgument && option.group == group)
          text += row(spelled(option), option.description);
    }
    return text;
  }

  static std::string row(const std::string &name, const std::string &text) {
    constexpr size_t column = 28, width = 70;
    std::string line = "  " + name;
    if (line.size() + 2 > column)
      line += "\n" + std::string(column, ' ');
    else
      line.resize(column, ' ');
    return line + wrap(text, column, width);
  }
};

} // namespace

std::string titleOf(const CLI::App &command) {
  return command.get_parent() ? "sextant " + command.get_name() : "sextant";
}

std::string hintOf(const CLI::App &command) {
  return usageOf(command) + (command.get_parent()
                                 ? "; `sextant help " + command.get_name() + "` says more"
                                 : "; `sextant --help` lists the commands");
}

void addHelp(CLI::App &app) {
  auto formatter = std::make_shared<HelpText>();
  app.formatter(formatter);
  app.footer("`sextant help COMMAND` shows the options and examples of one. The manual is " +
             pageName("command.md") + ".");
  for (const Page &page : pages) {
    CLI::App *command = app.get_subcommand(page.command);
    command->formatter(formatter);
    command->group(page.group);
    const std::string more = command->get_footer();
    command->footer(std::string("Examples:") + page.examples + (more.empty() ? "" : "\n\n" + more));
  }
}

} // namespace sextant
