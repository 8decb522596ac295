// The keys and the look-up. CodegenEntry.cpp defines an entry.
#include "driver/cache/CodegenCache.h"

#include "driver/cache/CompilerIdentity.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"

using namespace llvm;

namespace sextant {
namespace {

std::string keyOf(const CodegenJob &job, const Fingerprint &kernel, bool withPlaces) {
  // Each part has a fixed size, or ends in a line end that it cannot contain.
  std::string text = "sextant image 3\n" + compilerIdentity() + "\n" + toolIdentity(job.target) +
                     job.target.str() + "\n" + std::to_string(job.options.optLevel) +
                     (job.options.lineInfo ? " -g\n" : "\n") + kernel.code + "\n";
  if (withPlaces)
    text += kernel.places + "\n";
  return toHex(BLAKE3::hash<32>(arrayRefFromStringRef(text)), /*LowerCase=*/true);
}

} // namespace

void CodegenCache::expect(
    const std::vector<std::pair<const CodegenJob *, const Fingerprint *>> &jobs) {
  if (!remote)
    return;
  std::vector<std::string> keys;
  for (const auto &[job, kernel] : jobs)
    if (const std::string key = keyOf(*job, *kernel, job->options.lineInfo); !folder.has(key))
      keys.push_back(key);
  remote->want(keys);
}

std::optional<CodegenResult> CodegenCache::fetch(const std::string &key) {
  const std::optional<std::string> bytes = remote->take(key);
  if (!bytes)
    return std::nullopt;
  std::optional<CodegenResult> result = deserialize(*bytes, files);
  if (result) {
    folder.countHit();
    folder.store(key, *bytes);
  }
  return result;
}

CodegenResult CodegenCache::find(const CodegenJob &job, const Fingerprint &kernel,
                                 const std::function<CodegenResult()> &run) {
  const std::string placed = keyOf(job, kernel, true);
  const std::string plain = job.options.lineInfo ? placed : keyOf(job, kernel, false);
  for (const std::string &key : {plain, placed})
    if (std::optional<std::string> bytes = folder.find(key))
      if (std::optional<CodegenResult> result = deserialize(*bytes, files))
        return std::move(*result);
  if (remote)
    if (std::optional<CodegenResult> result = fetch(plain))
      return std::move(*result);
  folder.countMiss();
  CodegenResult result = run();
  if (result.variants.empty())
    return result;
  const std::string bytes = serialize(result);
  folder.store(result.diagnostics.empty() ? plain : placed, bytes);
  if (remote && result.diagnostics.empty())
    remote->put(plain, bytes);
  return result;
}

} // namespace sextant
