// The command line as a whole: subcommands, the options that all of them have, and how errors are
// reported.
#include "driver/Driver.h"

#include "driver/ArgumentFiles.h"
#include "driver/Arguments.h"
#include "driver/CommandTable.h"
#include "driver/End.h"
#include "driver/Help.h"
#include "driver/Version.h"
#include "driver/commands/Commands.h"
#include "driver/commands/LoaderLog.h"
#include "driver/commands/Messages.h"
#include "driver/commands/OneOf.h"
#include "driver/compile/Targets.h"
#include "frontend/spelling/Suggestion.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

namespace sextant {
namespace {

/// The options that every command takes, before and after its name.
struct CommonOptions {
  std::string color = "auto", diagnostics = "text";
  std::vector<std::string> warnings; ///< less the -W
  bool quiet = false;
};

void addCommonOptions(CLI::App &command, CommonOptions &options) {
  const char *const group = "Messages";
  command.add_flag("-q,--quiet", options.quiet, "no warnings, notes and progress, only errors")
      ->group(group);
  command
      .add_option_function<std::vector<std::string>>(
          "-W",
          [&options](const std::vector<std::string> &values) {
            options.warnings.insert(options.warnings.end(), values.begin(), values.end());
          },
          "-Wno-NAME drops a warning, -Werror=NAME makes it an error, -Werror all of them; a "
          "warning ends with its name")
      ->type_name("RULE")
      ->allow_extra_args(false)
      ->group(group);
  command
      .add_option("--color", options.color,
                  "auto (on terminals, unless NO_COLOR is set), always or never")
      ->type_name("WHEN")
      ->check(oneOf("--color", {"auto", "always", "never"}))
      ->type_name("WHEN")
      ->group(group);
  command
      .add_option("--diagnostics", options.diagnostics,
                  "text, or json: errors, warnings and notes as one object a line")
      ->check(oneOf("--diagnostics", {"text", "json"}))
      ->type_name("FORMAT")
      ->group(group);
}

/// A variable counts if it is set and not empty (no-color.org, bixense.com/clicolors);
/// CLICOLOR_FORCE=0 forces nothing. The option wins over them.
bool wantsColor(const std::string &option, const Environment &environment) {
  auto variable = [&](const char *name) {
    return environment.variable ? environment.variable(name).value_or("") : std::string();
  };
  if (option != "auto")
    return option == "always";
  if (!variable("NO_COLOR").empty())
    return false;
  if (const std::string force = variable("CLICOLOR_FORCE"); !force.empty() && force != "0")
    return true;
  return environment.errIsTerminal && variable("TERM") != "dumb";
}

void setMessageRules(const CommonOptions &options, Environment &environment) {
  MessageRules rules;
  rules.color = wantsColor(options.color, environment);
  rules.quiet = options.quiet;
  rules.json = options.diagnostics == "json";
  environment.messages = rules;
  for (const std::string &text : options.warnings)
    addWarningRule(environment.messages, text);
}

/// True if errors of the command line itself are to be JSON: the parser has not read the option
/// yet.
bool asksForJson(const std::vector<std::string> &arguments) {
  for (size_t k = 0; k < arguments.size() && arguments[k] != "--"; ++k)
    if (arguments[k] == "--diagnostics=json" ||
        (k && arguments[k - 1] == "--diagnostics" && arguments[k] == "json"))
      return true;
  return false;
}

std::string versionText(const Environment &environment) {
  std::string text = std::string("sextant ") + compilerVersion();
  if (!environment.commit.empty())
    text += " (" + environment.commit + ")";
  return text + "\n" + hostText();
}

/// Returns the folder of the CMake package that came with this program: installed beside it, or its
/// build folder. find_package(Sextant) takes it as Sextant_DIR.
std::string cmakeFolder() {
  namespace fs = std::filesystem;
  std::error_code code;
  const fs::path folder = fs::read_symlink("/proc/self/exe", code).parent_path();
  for (const char *place : {"../lib/cmake/Sextant", "../lib64/cmake/Sextant",
                            "../lib/x86_64-linux-gnu/cmake/Sextant", ".."})
    if (const fs::path candidate = fs::weakly_canonical(folder / place, code);
        fs::exists(candidate / "SextantConfig.cmake", code))
      return candidate.string();
  throw Refusal(Problem::FileUnreadable, "no CMake package lies beside '" + folder.string() + "'",
                "install with `cmake --install`, or the wheel `sextant-kernels`");
}

/// Returns the command that the arguments chose, or the app.
const CLI::App &chosenCommand(const CLI::App &app) {
  const std::vector<CLI::App *> chosen = app.get_subcommands();
  return chosen.empty() ? app : *chosen.front();
}

/// Rewords the parser's error in terms of the command line.
PlacedRefusal refusalOf(const CLI::ParseError &error, const CLI::App &app) {
  const CLI::App &command = chosenCommand(app);
  const auto plain = [&](Problem problem, const std::string &message) {
    return PlacedRefusal(problem, nullptr, {}, message, hintOf(command));
  };
  if (error.get_name() == "RequiredError") {
    for (const CLI::Option *one : command.get_options())
      if (one->get_required() && one->count() == 0) {
        const std::string what =
            one->get_positional() ? rowOf(*one).names.front() : one->get_name();
        return plain(Problem::OptionMissing,
                     titleOf(command) + " needs " + what + ", " + one->get_description());
      }
    if (&command == &app)
      return plain(Problem::CommandUnknown, "no command is named");
  }
  if (error.get_name() == "ArgumentMismatch")
    for (const CLI::Option *one : command.get_options())
      if (!one->get_positional() && int(one->count()) > one->get_items_expected_max())
        return PlacedRefusal(Problem::OptionValueWrong, nullptr, {},
                             "'" + one->get_name() + "' is given more than once",
                             "it takes one value: keep one of them");
  // The error's name is the command's.
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError))
    return plain(Problem::OptionUnknown, titleOf(command) + " does not take '" +
                                             operandOf(command.remaining().front()) + "'");
  return plain(Problem::OptionValueWrong, error.what());
}

int failedParse(const CLI::ParseError &error, const CLI::App &app, Environment &environment) {
  if (error.get_exit_code() == 0) // --help and --version
    return app.exit(error, environment.out, environment.err);
  const PlacedRefusal refusal = refusalOf(error, app);
  say(environment, errorOf(refusal));
  return 1;
}

} // namespace

int runDriver(const std::vector<std::string> &arguments, Environment &environment) {
  CLI::App app{"Ahead-of-time GPU and CPU kernels in one module", "sextant"};
  app.set_help_flag("-h,--help", "show this text");
  app.set_version_flag(
      "--version", [&environment] { return versionText(environment); },
      "the version, the commit, LLVM's version and this machine");
  app.add_flag_callback(
      "--cmake-dir", [] { throw CLI::CallForVersion(cmakeFolder(), 0); },
      "the folder with SextantConfig.cmake, for -DSextant_DIR");
  app.require_subcommand(1);
  Actions actions;
#define COMMAND(NAME, WORD, GROUP, EXAMPLES) add##NAME##Command(app, environment, actions);
#include "driver/commands/Commands.def"
#undef COMMAND
  addHelp(app);
  CommonOptions common;
  addCommonOptions(app, common);
  for (CLI::App *command : app.get_subcommands(nullptr))
    addCommonOptions(*command, common);
  takeOperands(app);

  setMessageRules(common, environment); // for errors of the command line
  try {
    environment.messages.json = asksForJson(arguments); // for errors in files of arguments
    const std::vector<std::string> expanded = expandFiles(arguments, environment);
    environment.messages.json = asksForJson(expanded);
    if (environment.messages.json)
      endInJson();
    std::vector<std::string> words = wordsForParser(app, expanded);
    std::reverse(words.begin(), words.end());
    app.parse(std::move(words));
    setMessageRules(common, environment);
    const LoaderLog log(environment);
    return actions.at(app.get_subcommands().front())();
  } catch (const CLI::ParseError &error) {
    return failedParse(error, app, environment);
  } catch (const Misspelling &wrong) {
    const PlacedRefusal refusal = placed(arguments, wrong);
    say(environment, errorOf(refusal));
    return 1;
  } catch (const Refusal &refusal) {
    say(environment, errorOf(refusal));
    return 1;
  } catch (const std::bad_alloc &) {
    sayError(environment, Problem::LaunchFailed, "there is not enough memory");
    return 1;
  } catch (const std::exception &error) {
    sayError(environment, Problem::InternalError, std::string("internal: ") + error.what(),
             "this is a defect of sextant; report it with the command line and its files");
    return 2;
  }
}

} // namespace sextant
