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
    {"compile", "Build", R"(
  sextant compile kernels.py                                   kernels.sxt, for this CPU
  sextant compile kernels.py -o app.sxt -t cpu,sm_90,gfx942    for several targets
  sextant compile kernels.py -k 'scan[dtype=qd.i32, n=256]'    an instance of a template kernel
  sextant compile kernels.py --check -Werror                   tests at run time, no warnings
  sextant compile - -o - < kernels.py > app.sxt                in a pipe)"},
    {"freeze", "Build", R"(
  sextant freeze -o app.sxt -t cpu,sm_90 app.py --steps 10     everything behind app.py is its own)"},
    {"merge", "Build", R"(
  sextant merge cpu.sxt gpu.sxt -o app.sxt)"},
    {"thin", "Build", R"(
  sextant thin app.sxt -o nvidia.sxt --keep=cuda --keep=cpu
  sextant thin app.sxt -o rest.sxt --drop='kernel:debug_*')"},
    {"sign", "Build", R"(
  sextant sign app.sxt --key release.pem                       in place
  sextant sign app.sxt --message app.tosign                    for a key that is elsewhere)"},
    {"keygen", "Build", R"(
  sextant keygen release.pem                                   and release.pem.pub)"},
    {"wheel", "Build", R"(
  sextant wheel app.sxt -o dist --version=1.0                  dist/app-1.0-py3-none-any.whl
  sextant wheel app.sxt -o dist --version=1.0 --thin           app-cpu, app-cuda, …)"},
    {"cache", "Build", R"(
  sextant cache --cache-dir ~/.cache/sextant --trim --cache-size 1G)"},
    {"inspect", "Look at modules", R"(
  sextant inspect app.sxt
  sextant inspect app.sxt --size --top=5                       where the bytes are
  sextant inspect app.sxt --json | jq '.kernels[].instance')"},
    {"verify", "Look at modules", R"(
  sextant verify app.sxt --require=sm_90 --max-size=4MB
  sextant verify app.sxt --public-key release.pem.pub)"},
    {"diff", "Look at modules", R"(
  sextant diff old.sxt new.sxt
  sextant diff old.sxt new.sxt --fail-on=abi,size+5%)"},
    {"explain", "Look at modules", R"(
  sextant explain app.sxt                                      each device of this machine
  sextant explain app.sxt scan --as gfx1101 --as vulkan:subgroup=16)"},
    {"extract", "Look at modules", R"(
  sextant extract app.sxt scan -t sm_90                        scan.sm_90.wave32.cubin
  sextant extract app.sxt --all -o images                      every image, in a new folder)"},
    {"disasm", "Look at modules", R"(
  sextant disasm app.sxt scan -t x86-64-v3/wave8)"},
    {"run", "Run", R"(
  sextant run app.sxt saxpy n=8 a=2.0 x=iota:f32[8] y=const:1:f32[8]
  sextant run app.sxt blur src=photo.npy out=zeros[480,640] --save out=blurred.npy)"},
    {"bench", "Run", R"(
  sextant bench app.sxt saxpy n=1000000 a=2 x=random[1000000] y=zeros[1000000])"},
    {"tune", "Run", R"(
  sextant compile app.py -o app.sxt --targets=cpu,sm_90 --tune TILE=64,128,256
  sextant tune app.sxt saxpy n=1000000 a=2 x=random[1000000] y=zeros[1000000]
  sextant tune app.sxt sort keys=keys.npy --fresh --tuning tuning.txt)"},
    {"targets", "What there is", R"(
  sextant targets
  sextant targets --json | jq -r '.targets[].arch')"},
    {"devices", "What there is", R"(
  sextant devices)"},
    {"message", "What there is", R"(
  sextant message range-step-zero                              or: sextant help range-step-zero)"},
    {"completions", "What there is", R"(
  sextant completions bash > ~/.local/share/bash-completion/completions/sextant
  sextant completions fish > ~/.config/fish/completions/sextant.fish)"},
    {"man", "What there is", R"(
  sextant man compile | man -l -)"},
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

std::string usageOf(const CLI::App &command) { return "usage: " + synopsisOf(rowOf(command)); }

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
