// What building kernels for many targets had to say, gathered so that it is said once:
// errors and warnings a kernel at a time, kernels that some targets cannot have at the end
// of the run.
#pragma once

#include "backends/Backend.h"
#include "frontend/syntax/Diagnostics.h"

#include <set>
#include <string>
#include <vector>

namespace sextant {

/// Of one kernel: the same finding at the same place for several targets is one.
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

/// Kernels that are left out of a module for some targets, over the whole run. A target
/// that an item of many stands for may fail as long as another one is built; one warning
/// tells of all targets that fail at one place, and of all kernels that fail alike.
class MissingVariants {
public:
  explicit MissingVariants(std::vector<Target> all) : all(std::move(all)) {}
  /// \param why the first error for the target, at the kernel's source
  void add(const std::string &kernel, const Target &target, const Diagnostic &why);
  /// At most a screenful of warnings; the rest by name. The module records every reason.
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
