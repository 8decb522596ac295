// A cache around the phase that makes images (compile/Codegen.h). If an earlier run stored a result
// under the same key, that result is used and the phase does not run.
//
// The key covers everything that the phase depends on: the compiler and its tools by content, the
// target, the options, and the kernel as irgen makes it. Places in the source belong to the key
// only if they show, in line tables and in warnings. So comments, other kernels of the file and the
// names of folders do not matter, and a result is the same, byte for byte, with and without a
// cache. Failures are not stored, because their cause may be gone the next time.
#pragma once

#include "driver/cache/CacheFolder.h"
#include "driver/compile/CodegenJob.h"

#include <functional>
#include <memory>

namespace sextant {

/// Thread-safe.
class CodegenCache {
public:
  /// \param files the files in which the places of stored warnings are found again
  CodegenCache(CacheFolder &folder, const std::vector<std::unique_ptr<SourceFile>> &files)
      : folder(folder), files(files) {}

  /// Returns the result of `run`, or the same result from the folder. \param kernel the job's
  /// kernel
  CodegenResult find(const CodegenJob &job, const Fingerprint &kernel,
                     const std::function<CodegenResult()> &run);

private:
  CacheFolder &folder;
  const std::vector<std::unique_ptr<SourceFile>> &files;
};

/// Encodes a result as bytes, and decodes it; decoding returns nothing if the bytes are not a
/// result. Warnings keep their lines and columns.
std::string serialize(const CodegenResult &result);
std::optional<CodegenResult> deserialize(std::string_view bytes,
                                         const std::vector<std::unique_ptr<SourceFile>> &files);

} // namespace sextant
