// Errors and warnings on source text, and the sink that collects them. DiagnosticText.cpp prints
// them for people, driver/commands/DiagnosticJson.cpp for editors.
#pragma once

#include "frontend/problems/Problems.h"
#include "frontend/syntax/Source.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace sextant {

enum class Severity : uint8_t { Error, Warning, Note };

/// "error", "warning", "note"
const char *severityName(Severity severity);

/// A further place that a diagnostic is about, in any file: "declared here".
struct Label {
  SourceRange at;
  std::string text;
};

/// Puts a text, without an end of a line, in place of a range. An empty range is an insertion.
struct Edit {
  SourceRange at;
  std::string text;
};

/// The remedy. Most have words only; a fix with edits is one that an editor can apply, and
/// the source is without the error then.
struct Fix {
  std::string text; ///< printed as "help: …"
  std::vector<Edit> edits;
  bool isGuess = false; ///< the edits need not be what the user means: "did you mean …?"

  Fix() = default;
  Fix(const char *text) : text(text) {}
  Fix(std::string text) : text(std::move(text)) {}
  Fix(std::string text, std::vector<Edit> edits, bool isGuess = false)
      : text(std::move(text)), edits(std::move(edits)), isGuess(isGuess) {}
};

/// "did you mean `known`?", for a name that a range ends or begins with: of `wanted` itself, of
/// `x.wanted`, of `wanted=x`. Is empty if `known` is.
Fix didYouMean(SourceRange at, std::string_view wanted, const std::string &known);
/// The same with the nearest of `known`; without one, `otherwise`.
Fix nearestName(SourceRange at, std::string_view wanted, const std::vector<std::string_view> &known,
                std::string otherwise = {});

/// Edits that put a range into parentheses after a function's name.
std::vector<Edit> calledWith(const std::string &function, SourceRange at);

struct Diagnostic {
  Severity severity = Severity::Error;
  SourceRange at;
  std::string message;                 ///< the problem and its reason; lower case, no full stop
  Fix fix;                             ///< the remedy
  std::vector<Diagnostic> notes;       ///< where it was called from
  std::optional<Warning> warning = {}; ///< which one, also if `-Werror` makes an error of it
  Problem problem = Problem::Other;
  std::vector<std::string> kernels = {}; ///< instances of kernels that it is about
  /// The build continues without the affected kernel. Set by the code that reports the error.
  bool isTolerated = false;
  std::vector<Label> labels = {}; ///< the places that it clashes with
};

/// Collects diagnostics in order. Not thread-safe: each compilation has its own sink.
class DiagnosticSink {
public:
  /// A filter, which may change a diagnostic, and drops it by returning false.
  using Filter = std::function<bool(Diagnostic &)>;
  explicit DiagnosticSink(Filter filter = {}) : filter(std::move(filter)) {}

  void report(Diagnostic diagnostic);
  void error(SourceRange at, Problem problem, std::string message, Fix fix = {});
  void warning(SourceRange at, Warning warning, std::string message, Fix fix = {});

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

/// Returns text for people: `file:line:col: error: message`, the lines of the place and of the
/// labels with marks under them, the fix and its result, and the notes. `color` adds terminal
/// escapes.
std::string formatDiagnostic(const Diagnostic &diagnostic, bool color = false);

} // namespace sextant
