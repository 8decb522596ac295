// `sextant diff`: shows what differs between two modules.
#include "driver/commands/Commands.h"
#include "driver/commands/Messages.h"
#include "driver/commands/ModuleFile.h"
#include "frontend/spelling/Texts.h"
#include "packager/Diff.h"

#include <CLI/CLI.hpp>

namespace sextant {
namespace {

struct DiffOptions {
  std::string before, after;
  std::vector<std::string> failOn;
  bool json = false;
};

int diffCommand(const DiffOptions &options, Environment &environment) {
  std::vector<packager::FailRule> rules;
  for (const std::string &text : options.failOn) {
    const std::optional<packager::FailRule> rule = packager::parseFailRule(text);
    if (!rule) {
      const std::vector<std::string> names = packager::failRuleNames();
      throw Misspelling(Problem::OptionValueWrong, "--fail-on: '" + text + "' is not a change",
                        "--fail-on", text, {names.begin() + 1, names.end()},
                        "it takes " + joined(names));
    }
    rules.push_back(*rule);
  }
  const module::Reader before = openModule(environment, options.before);
  const module::Reader after = openModule(environment, options.after);
  module::Result<packager::Difference> compared = packager::diff(before, after);
  if (!compared)
    for (const auto &[path, reader] : {std::pair(options.before, &before), {options.after, &after}})
      if (const module::Status status = reader->verify(); !status.ok())
        throw refusalOf(path, status);
  const packager::Difference difference = require(std::move(compared));
  environment.out << (options.json ? packager::diffJson(difference)
                                   : packager::diffText(difference));
  if (rules.empty())
    return difference.changes.empty() ? 0 : 1;
  int status = 0;
  for (size_t rule = 0; rule < rules.size(); ++rule)
    if (packager::isBroken(rules[rule], difference)) {
      sayError(environment, Problem::BudgetExceeded, "--fail-on " + options.failOn[rule]);
      status = 1;
    }
  return status;
}

} // namespace

void addDiffCommand(CLI::App &app, Environment &environment, Actions &actions) {
  auto options = std::make_shared<DiffOptions>();
  CLI::App *diff = app.add_subcommand(
      "diff", "Show what differs between two modules; exit status 1 where anything does");
  diff->add_option("before", options->before, "a module (.sxt)")->required();
  diff->add_option("after", options->after, "the module to compare it with")->required();
  diff->add_flag("--json", options->json, "the changes as one JSON object");
  diff->add_option("--fail-on", options->failOn,
                   "exit status 1 only for these changes: size+5%, spill, abi, kernel-removed, …; "
                   "comma-listed or repeated")
      ->delimiter(',');
  actions[diff] = [options, &environment] { return diffCommand(*options, environment); };
}

} // namespace sextant
