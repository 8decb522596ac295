// Messages of commands on the error stream: errors, warnings and notes in one form.
#pragma once

#include "driver/Environment.h"
#include "frontend/syntax/Diagnostics.h"

namespace sextant {

/// Adds the rule of one `-W…`, without the `-W`: `error`, `no-NAME`, `error=NAME`, … Later rules
/// win. Throws Refusal for unknown names.
void addWarningRule(MessageRules &rules, const std::string &text);

/// Turns a warning into an error if a rule says so. Returns true if the diagnostic is to be shown.
bool applyRules(const MessageRules &rules, Diagnostic &diagnostic);
/// Returns a sink for diagnostics that obeys the environment's rules.
DiagnosticSink sinkFor(const Environment &environment);

/// A Refusal that is about a place in a file, or about the command line.
struct PlacedRefusal : Refusal {
  PlacedRefusal(Problem problem, std::shared_ptr<const SourceFile> file, SourceRange at,
                const std::string &message, Fix how)
      : Refusal(problem, message, how.text), file(std::move(file)), at(at), how(std::move(how)) {}
  std::shared_ptr<const SourceFile> file; ///< the edits are in it
  SourceRange at;                         ///< without a file: about the command line
  Fix how;
};

/// Returns the error that says why a command ends. It may point into the refusal's file.
Diagnostic errorOf(const Refusal &refusal);
/// Prints one diagnostic by the rules. Returns true if it is an error.
bool say(const Environment &environment, Diagnostic diagnostic);
void sayError(const Environment &environment, Problem problem, const std::string &message,
              const std::string &fix = {});
void sayNote(const Environment &environment, const std::string &message);
/// Prints a warning. Throws Refusal if a rule makes it an error.
void sayWarning(const Environment &environment, Warning warning, const std::string &message,
                const std::string &fix = {});

} // namespace sextant
