// What commands say on the error stream: errors, warnings and notes in one form, and the
// names of warnings.
#pragma once

#include "driver/Environment.h"
#include "frontend/syntax/Diagnostics.h"

#include <span>

namespace sextant {

/// A warning that `-WNAME` and its relatives know.
struct WarningName {
  const char *name, *meaning;
};
std::span<const WarningName> warningNames();

/// Adds what one `-W…` says, less the `-W`: `error`, `no-NAME`, `error=NAME`, … Later ones win.
/// Throws Refusal for names that are unknown.
void addWarningRule(MessageRules &rules, const std::string &text);

/// Makes errors of warnings that are to be errors. Returns whether the diagnostic is to be shown.
bool applyRules(const MessageRules &rules, Diagnostic &diagnostic);
/// A sink for diagnostics that obey the environment's rules.
DiagnosticSink sinkFor(const Environment &environment);

/// Prints one diagnostic, by the rules. Returns whether it is an error.
bool say(const Environment &environment, Diagnostic diagnostic);
void sayError(const Environment &environment, const std::string &message,
              const std::string &fix = {});
void sayNote(const Environment &environment, const std::string &message);
/// Throws Refusal where the warning is an error. \param name among warningNames()
void sayWarning(const Environment &environment, const char *name, const std::string &message,
                const std::string &fix = {});

} // namespace sextant
