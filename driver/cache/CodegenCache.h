// A cache around the phase that makes images (compile/Codegen.h). If an earlier run stored a result
// under the same key, that result is used and the phase does not run.
//
// The key covers everything that the phase depends on: the compiler and its tools by content, the
// target, the options, and the kernel as irgen makes it. Places in the source belong to the key
// only if they show, in line tables and in warnings. So comments, other kernels of the file and the
// names of folders do not matter, and a result is the same, byte for byte, with and without a
// cache. Failures are not stored, because their cause may be gone the next time.
//
// Results that the folder lacks are asked for in the remote cache, where there is one. It has only
// those without warnings, so that one request decides.
#pragma once

#include "driver/cache/CacheFolder.h"
#include "driver/cache/RemoteCache.h"
#include "driver/compile/CodegenJob.h"

#include <memory>

namespace sextant {

/// Thread-safe.
class CodegenCache {
public:
  /// \param files the files in which the places of stored warnings are found again
  /// \param remote null: there is none
  CodegenCache(CacheFolder &folder, RemoteCache *remote,
               const std::vector<std::unique_ptr<SourceFile>> &files)
      : folder(folder), remote(remote), files(files) {}

  /// Says which jobs come, in this order, so that the remote cache looks ahead.
  void expect(const std::vector<std::pair<const CodegenJob *, const Fingerprint *>> &jobs);

  /// Returns the result of a job from the folder or the remote cache, if one of them has it.
  /// \param kernel the job's kernel
  std::optional<CodegenResult> find(const CodegenJob &job, const Fingerprint &kernel);
  /// Keeps the result of a job that was not found, unless it failed.
  void store(const CodegenJob &job, const Fingerprint &kernel, const CodegenResult &result);

private:
  std::optional<CodegenResult> fetch(const EntryName &name, const Target &target);

  CacheFolder &folder;
  RemoteCache *remote;
  const std::vector<std::unique_ptr<SourceFile>> &files;
};

/// Encodes a result as bytes. Warnings keep their lines and columns.
std::string serialize(const CodegenResult &result);
/// Decodes a result for `target`. Returns nothing if the bytes are not a result, or hold another
/// target's variants. Memory is bounded by a multiple of the bytes, whatever they say.
std::optional<CodegenResult> deserialize(std::string_view bytes, const Target &target,
                                         const std::vector<std::unique_ptr<SourceFile>> &files);

} // namespace sextant
