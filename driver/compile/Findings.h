// Collects the diagnostics of building kernels for many targets, so that each is reported once.
// Errors and warnings are reported for one kernel at a time, kernels that some targets lack at the
// end of the run.
#pragma once

#include "backends/Backend.h"
#include "frontend/syntax/Diagnostics.h"

#include <set>
#include <string>
#include <vector>

namespace sextant {

/// Returns "a, b, c and 7 more".
std::string shortList(const std::vector<std::string> &items, size_t most);

/// The findings of one kernel. The same finding at the same place for several targets counts as
/// one.
class Findings {
public:
  void add(const Diagnostic &diagnostic, const std::string &target, Severity severity);
  void report(DiagnosticSink &sink, const std::string &kernel);

private:
  struct Finding {
    Diagnostic diagnostic;
    std::vector<std::string> targets;
  };
  std::vector<Finding> findings;
};

/// The kernels that a module lacks for some targets, over the whole run. If an item of the target
/// list means several targets, one of them may fail as long as another one is built. One warning
/// covers all targets that fail at one place, and all kernels that fail alike.
class MissingVariants {
public:
  explicit MissingVariants(std::vector<Target> all) : all(std::move(all)) {}
  /// \param why the first error for the target, at the kernel's source
  void add(const std::string &kernel, const Target &target, const Diagnostic &why);
  /// Prints at most a screenful of warnings, and the rest by name. The module records every reason.
  void report(DiagnosticSink &sink) const;

private:
  struct Missing {
    Diagnostic why;
    std::vector<std::string> kernels;
    std::set<std::string> targets;
  };
  std::string describe(const std::set<std::string> &targets) const;

  std::vector<Target> all;
  std::vector<Missing> found; ///< one kernel each
};

} // namespace sextant
