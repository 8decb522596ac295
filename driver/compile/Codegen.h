// The target half of the pipeline: compiles one kernel instance for one target, from HIR to an
// image, on a worker with an MLIR context of its own.
#pragma once

#include "driver/compile/CodegenJob.h"

#include <memory>
#include <vector>

namespace sextant {

/// A thread's MLIR context, and the conversion of its diagnostics to ours. Not thread-safe.
class CodegenWorker {
public:
  /// \param files the files in which locations of the IR are looked up
  explicit CodegenWorker(const std::vector<std::unique_ptr<SourceFile>> &files);
  ~CodegenWorker();
  CodegenResult run(const CodegenJob &job);

private:
  struct State;
  const std::vector<std::unique_ptr<SourceFile>> &files;
  std::unique_ptr<State> state; ///< made by the first job: a worker may find all results in a cache
};

/// A job, and its result.
struct CodegenRun {
  const CodegenJob *job;
  CodegenResult *result;
};

/// True if the result has drafts of images, which completeDrafts() makes images of.
bool hasDrafts(const CodegenResult &result);
/// Completes the drafts of results, those of one target together. Thread-safe for different
/// results.
void completeDrafts(const std::vector<CodegenRun> &runs);

/// Thread-safe.
Fingerprint fingerprintOf(const hir::Kernel &kernel);

} // namespace sextant
