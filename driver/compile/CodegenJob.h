// The input and the result of one run of the target half of the pipeline.
#pragma once

#include "backends/Backend.h"
#include "frontend/hir/Hir.h"
#include "frontend/syntax/Diagnostics.h"

#include <string>
#include <vector>

namespace sextant {

struct CodegenJob {
  const hir::Kernel *kernel = nullptr;
  Target target;
  std::string name;       ///< the unit's, for dumps
  CompileOptions options; ///< dumpStream is set by runJob
};

/// The code of one of the variants that a job's target means (Backend::variants).
struct BuiltVariant {
  Target target;
  Image image;
};

struct CodegenResult {
  std::vector<BuiltVariant> variants;  ///< empty: refused, and diagnostics say why
  std::vector<Diagnostic> diagnostics; ///< errors and warnings, in order
  std::string dump;                    ///< IR that was asked for
  bool ignoresWave = false; ///< the code is the same for other waves: Backend::ignoresWave
};

/// Hashes of a kernel: everything that a job depends on, besides target and options.
struct Fingerprint {
  std::string code;   ///< without places in the source
  std::string places; ///< files, lines, columns, and the names that debuggers show
};

/// The backend's answers for loops that leave it a choice.
inline hir::Choice choiceOf(const Backend &backend) {
  return {backend.lightBlock(), backend.turnBlock()};
}

} // namespace sextant
