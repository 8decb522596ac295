// Around the phase that makes images (compile/Codegen.h): a result that an earlier run stored under
// the same key is taken in place of running it.
//
// The key is what the phase depends on: the compiler and its tools by content, the target, the
// options, and the kernel as irgen makes it. Places in the source belong to it only where they
// show, in line tables and in warnings: so comments, other kernels of the file and the names
// of folders do not matter, and a result is the same, byte for byte, with and without a cache.
// Failures are not stored: what made them may be gone the next time.
#pragma once

#include "driver/cache/CacheFolder.h"
#include "driver/compile/CodegenJob.h"

#include <functional>
#include <memory>

namespace sextant {

/// Thread-safe.
class CodegenCache {
public:
  /// \param files where stored warnings find their places again
  CodegenCache(CacheFolder &folder, const std::vector<std::unique_ptr<SourceFile>> &files)
      : folder(folder), files(files) {}

  /// What `run` makes of the job, or the same from the folder. \param kernel the job's kernel
  CodegenResult find(const CodegenJob &job, const Fingerprint &kernel,
                     const std::function<CodegenResult()> &run);

private:
  CacheFolder &folder;
  const std::vector<std::unique_ptr<SourceFile>> &files;
};

/// A result as bytes; and back, nothing where the bytes are none. Warnings keep lines and columns.
std::string serialize(const CodegenResult &result);
std::optional<CodegenResult> deserialize(std::string_view bytes,
                                         const std::vector<std::unique_ptr<SourceFile>> &files);

} // namespace sextant
