// One form for all messages of commands: `file:line:column: error: …` if the place in a file is
// known, `sextant: error: …` otherwise.
#include "driver/commands/Messages.h"

#include "driver/commands/DiagnosticJson.h"
#include "loader/format/Text.h"

namespace sextant {
namespace {

Warning warningOf(const std::string &name, const std::string &option) {
  if (const auto warning = warningNamed(name))
    return *warning;
  throw Misspelling(Problem::WarningUnknown, "-W" + option + ": there is no warning '" + name + "'",
                    "-W", name, warningNames(),
                    pageName("command.md") + " lists them; a warning ends with its name");
}

} // namespace

void addWarningRule(MessageRules &rules, const std::string &text) {
  std::string name = text;
  const bool enabled = !name.starts_with("no-");
  if (!enabled)
    name.erase(0, 3);
  if (name == "error") {
    rules.warningsAreErrors = enabled;
  } else if (name.starts_with("error=")) {
    name.erase(0, 6);
    MessageRules::Rule &rule = rules.warnings[warningOf(name, text)];
    rule.isError = enabled;
    if (enabled)
      rule.enabled = true;
  } else {
    rules.warnings[warningOf(name, text)].enabled = enabled;
  }
}

bool applyRules(const MessageRules &rules, Diagnostic &diagnostic) {
  if (diagnostic.isTolerated && rules.leavesKernels) {
    diagnostic.severity = Severity::Warning;
    diagnostic.warning = Warning::LeftKernel;
    diagnostic.isTolerated = false;
  }
  if (diagnostic.severity == Severity::Error)
    return true;
  if (diagnostic.severity == Severity::Warning) {
    MessageRules::Rule rule;
    if (diagnostic.warning && rules.warnings.contains(*diagnostic.warning))
      rule = rules.warnings.at(*diagnostic.warning);
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

/// Leaves out the middle of a word that is longer than any path, such as an argument of 100 KB.
static std::string readable(std::string_view text) {
  constexpr size_t longest = 4096, shown = 200;
  const auto isInside = [](char c) { return (c & 0xC0) == 0x80; }; // a character of several bytes
  std::string result;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find_first_of(" \n", 1));
    text.remove_prefix(word.size());
    if (word.size() <= longest) {
      result += word;
      continue;
    }
    size_t end = shown, begin = word.size() - shown;
    while (end > 0 && isInside(word[end]))
      --end;
    while (begin < word.size() && isInside(word[begin]))
      ++begin;
    result.append(word.substr(0, end)).append("…").append(word.substr(begin));
  }
  return result;
}

Diagnostic errorOf(const Refusal &refusal) {
  Diagnostic error{Severity::Error, {}, readable(refusal.what()), refusal.fix, {}, {},
                   refusal.problem};
  if (auto *placed = dynamic_cast<const PlacedRefusal *>(&refusal)) {
    error.at = placed->at;
    error.fix = placed->how;
  }
  error.fix.text = readable(error.fix.text);
  return error;
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

void sayWarning(const Environment &environment, Warning warning, const std::string &message,
                const std::string &fix) {
  Diagnostic diagnostic{Severity::Warning, {}, message, fix, {}, warning};
  applyRules(environment.messages, diagnostic);
  if (diagnostic.severity == Severity::Error)
    throw Refusal(Problem::WarningIsError, message + " [-Werror=" + warningName(warning) + "]",
                  fix);
  say(environment, std::move(diagnostic));
}

} // namespace sextant
