// Errors and warnings on source text. One sink collects them. They are printed as `file:line:col:
// error: message` with the line, a caret, and a hint.
#pragma once

#include "frontend/syntax/Source.h"

#include <functional>
#include <string>
#include <vector>

namespace sextant {

enum class Severity : uint8_t { Error, Warning, Note };
/// What a diagnostic says is wrong: the rows of Problems.def.
enum class Problem : uint16_t {
#define PROBLEM(NAME) NAME,
#include "frontend/syntax/Problems.def"
};
/// Returns the problem's name in kebab-case: "range-step-zero". It does not change between
/// versions.
std::string problemName(Problem problem);
/// Returns the number of rows in Problems.def.
unsigned problemCount();

/// "error", "warning", "note"
const char *severityName(Severity severity);

struct Diagnostic {
  Severity severity = Severity::Error;
  SourceRange at;
  std::string message;           ///< what is wrong and why; lower case, no full stop
  std::string fix;               ///< what to do instead; printed as "help: …"
  std::vector<Diagnostic> notes; ///< where it was called from, what it clashes with
  std::string name = {};         ///< of a warning, as `-WNAME` has it: kebab-case
  Problem problem = Problem::Other;
};

/// Collects diagnostics in order. Not thread-safe: each compilation has its own sink.
class DiagnosticSink {
public:
  /// A filter, which may change a diagnostic, and drops it by returning false.
  using Filter = std::function<bool(Diagnostic &)>;
  explicit DiagnosticSink(Filter filter = {}) : filter(std::move(filter)) {}

  void report(Diagnostic diagnostic);
  void error(SourceRange at, std::string message, std::string fix = {});
  void error(SourceRange at, Problem problem, std::string message, std::string fix = {});
  /// \param name driver/commands/Messages.cpp lists the names
  void warning(SourceRange at, std::string message, std::string fix = {}, std::string name = {});

  bool hasErrors() const { return errors != 0; }
  unsigned errorCount() const { return errors; }
  const std::vector<Diagnostic> &diagnostics() const { return all; }

private:
  Filter filter;
  std::vector<Diagnostic> all;
  unsigned errors = 0;
};

/// Returns text for people. `color` adds terminal escapes.
std::string formatDiagnostic(const Diagnostic &diagnostic, bool color = false);

} // namespace sextant
