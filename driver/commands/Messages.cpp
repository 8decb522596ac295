// One form for all messages of commands: `file:line:column: error: …` if the place in a file is
// known, `sextant: error: …` otherwise.
#include "driver/commands/Messages.h"

#include "driver/commands/DiagnosticJson.h"
#include "frontend/spelling/Suggestion.h"
#include "loader/format/Text.h"

#include <algorithm>

namespace sextant {
namespace {

constexpr WarningName names[] = {
    {"cache", "the cache stores nothing"},
    {"deprecated", "a function has a newer name"},
    {"hidden-variable", "a loop's index has the name of a variable, which it does not change"},
    {"ignored-loop-config", "`qd.loop_config` has no effect where it stands"},
    {"infinite-constant", "a constant is more than its type holds"},
    {"layout", "a field of structs is not in one piece, as its layout says"},
    {"lossy-store", "a real number becomes an integer without a cast"},
    {"missing-tool", "a toolchain's program was not found, and code is worse for it"},
    {"missing-variant", "some kernels are not built for some targets"},
    {"redefined-kernel", "a kernel is not built because its name is taken again"},
    {"serial-loop", "a loop is serial because of what it stands in"},
    {"shared-variable", "iterations of a parallel loop read what others store in a variable"},
    {"signature", "a module is made of one that is signed, and is not"},
    {"uninstantiated-kernel", "a template kernel is not built: no --kernel names it"},
    {"unknown-pass", "--dump-ir names a pass that did not run"},
};

void checkName(const std::string &name, const std::string &option) {
  std::vector<std::string> known;
  for (const WarningName &one : names)
    known.push_back(one.name);
  if (std::find(known.begin(), known.end(), name) != known.end())
    return;
  const std::string near = suggestion(name, known);
  throw Refusal(Problem::WarningUnknown, "-W" + option + ": there is no warning '" + name + "'",
                near.empty() ? pageName("command.md") + " lists them; a warning ends with its name"
                             : near);
}

} // namespace

std::span<const WarningName> warningNames() { return names; }

void addWarningRule(MessageRules &rules, const std::string &text) {
  std::string name = text;
  const bool enabled = !name.starts_with("no-");
  if (!enabled)
    name.erase(0, 3);
  if (name == "error") {
    rules.warningsAreErrors = enabled;
  } else if (name.starts_with("error=")) {
    name.erase(0, 6);
    checkName(name, text);
    rules.warnings[name].isError = enabled;
    if (enabled)
      rules.warnings[name].enabled = true;
  } else {
    checkName(name, text);
    rules.warnings[name].enabled = enabled;
  }
}

bool applyRules(const MessageRules &rules, Diagnostic &diagnostic) {
  if (diagnostic.severity == Severity::Error)
    return true;
  if (diagnostic.severity == Severity::Warning) {
    const auto found = rules.warnings.find(diagnostic.name);
    const MessageRules::Rule rule =
        found == rules.warnings.end() ? MessageRules::Rule{} : found->second;
    if (!rule.enabled)
      return false;
    if (rule.isError.value_or(rules.warningsAreErrors)) {
      diagnostic.severity = Severity::Error;
      if (diagnostic.problem == Problem::Other)
        diagnostic.problem = Problem::WarningIsError;
      return true;
    }
  }
  return !rules.quiet;
}

DiagnosticSink sinkFor(const Environment &environment) {
  return DiagnosticSink(
      [rules = environment.messages](Diagnostic &one) { return applyRules(rules, one); });
}

Diagnostic errorOf(const Refusal &refusal) {
  if (auto *placed = dynamic_cast<const PlacedRefusal *>(&refusal))
    return {Severity::Error, placed->at, refusal.what(), placed->how, {}, {}, refusal.problem};
  return {Severity::Error, {}, refusal.what(), refusal.fix, {}, {}, refusal.problem};
}

bool say(const Environment &environment, Diagnostic diagnostic) {
  const MessageRules &rules = environment.messages;
  if (!applyRules(rules, diagnostic))
    return false;
  if (!diagnostic.at.file && !rules.json) { // it may quote a module, and its edits are of arguments
    diagnostic.fix.edits.clear();
    diagnostic.message = module::printableLines(diagnostic.message);
    diagnostic.fix.text = module::printableLines(diagnostic.fix.text);
  }
  if (rules.json)
    environment.err << diagnosticJson(diagnostic);
  else
    environment.err << (diagnostic.at.file ? ""
                        : rules.color      ? "\033[1msextant: \033[0m"
                                           : "sextant: ")
                    << formatDiagnostic(diagnostic, rules.color);
  return diagnostic.severity == Severity::Error;
}

void sayError(const Environment &environment, Problem problem, const std::string &message,
              const std::string &fix) {
  say(environment, {Severity::Error, {}, message, fix, {}, {}, problem});
}

void sayNote(const Environment &environment, const std::string &message) {
  say(environment, {Severity::Note, {}, message, {}, {}});
}

void sayWarning(const Environment &environment, const char *name, const std::string &message,
                const std::string &fix) {
  Diagnostic diagnostic{Severity::Warning, {}, message, fix, {}, name};
  applyRules(environment.messages, diagnostic);
  if (diagnostic.severity == Severity::Error)
    throw Refusal(Problem::WarningIsError, message + " [-Werror=" + name + "]", fix);
  say(environment, std::move(diagnostic));
}

} // namespace sextant
