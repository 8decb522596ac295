// Errors and warnings on source text. One sink collects them. They are printed as `file:line:col:
// error: message` with the line, a caret, and a hint.
#pragma once

#include "frontend/problems/Problems.h"
#include "frontend/syntax/Source.h"

#include <functional>
#include <string>
#include <vector>

namespace sextant {

enum class Severity : uint8_t { Error, Warning, Note };

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
  std::vector<std::string> kernels = {}; ///< instances of kernels that it is about
  /// Of an error: the build goes on without what it is about. Whoever reports it decides that.
  bool isTolerated = false;
};

/// Collects diagnostics in order. Not thread-safe: each compilation has its own sink.
class DiagnosticSink {
public:
  /// A filter, which may change a diagnostic, and drops it by returning false.
  using Filter = std::function<bool(Diagnostic &)>;
  explicit DiagnosticSink(Filter filter = {}) : filter(std::move(filter)) {}

  void report(Diagnostic diagnostic);
  void error(SourceRange at, Problem problem, std::string message, std::string fix = {});
  /// \param name driver/commands/Messages.cpp lists the names
  void warning(SourceRange at, std::string message, std::string fix = {}, std::string name = {});

  /// From now on, diagnostics that name no kernel are about this one. Empty: about none.
  void setKernel(std::string instance) { kernel = std::move(instance); }
  /// The current kernel meets an error again that was reported before, about another one.
  void repeated(SourceRange at, const std::string &message);

  /// True if an error ends the build: one that is not tolerated.
  bool hasErrors() const { return fatal != 0; }
  /// Counts the tolerated ones, too.
  unsigned errorCount() const { return errors; }
  const std::vector<Diagnostic> &diagnostics() const { return all; }

private:
  Filter filter;
  std::vector<Diagnostic> all;
  std::string kernel;
  unsigned errors = 0, fatal = 0;
};

/// Returns text for people. `color` adds terminal escapes.
std::string formatDiagnostic(const Diagnostic &diagnostic, bool color = false);

} // namespace sextant
