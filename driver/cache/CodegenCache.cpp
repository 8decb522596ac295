// The keys and the look-up. CodegenEntry.cpp defines an entry.
#include "driver/cache/CodegenCache.h"

#include "driver/cache/CompilerIdentity.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"

using namespace llvm;

namespace sextant {
namespace {

std::string optionsOf(const CodegenJob &job) {
  return "-O" + std::to_string(job.options.optLevel) + (job.options.lineInfo ? " -g" : "");
}

std::string keyOf(const CodegenJob &job, const Fingerprint &kernel, bool withPlaces) {
  // Each part has a fixed size, or ends in a line end that it cannot contain.
  std::string text = "sextant image 4\n" + compilerIdentity() + "\n" + toolIdentity(job.target) +
                     job.target.str() + "\n" + optionsOf(job) + "\n" + kernel.code + "\n";
  if (withPlaces)
    text += kernel.places + "\n";
  return toHex(BLAKE3::hash<32>(arrayRefFromStringRef(text)), /*LowerCase=*/true);
}

EntryName nameOf(const CodegenJob &job, const Fingerprint &kernel, bool withPlaces) {
  return {keyOf(job, kernel, withPlaces), "image " + job.target.str() + " " + optionsOf(job)};
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

std::optional<CodegenResult> CodegenCache::fetch(const EntryName &name, const Target &target) {
  const std::optional<std::string> bytes = remote->take(name);
  if (!bytes)
    return std::nullopt;
  std::optional<CodegenResult> result = deserialize(*bytes, target, files);
  if (result)
    folder.store(name, *bytes);
  return result;
}

std::optional<CodegenResult> CodegenCache::find(const CodegenJob &job, const Fingerprint &kernel) {
  const EntryName placed = nameOf(job, kernel, true);
  const EntryName plain = job.options.lineInfo ? placed : nameOf(job, kernel, false);
  std::optional<CodegenResult> known;
  for (const EntryName *name : {&plain, &placed})
    if (std::optional<std::string> bytes; !known && (bytes = folder.find(*name)))
      known = deserialize(*bytes, job.target, files);
  if (remote && !known)
    known = fetch(plain, job.target);
  if (known)
    folder.countHit();
  else
    folder.countMiss();
  return known;
}

void CodegenCache::store(const CodegenJob &job, const Fingerprint &kernel,
                         const CodegenResult &result) {
  if (result.variants.empty())
    return;
  const bool isPlaced = job.options.lineInfo || !result.diagnostics.empty();
  const EntryName name = nameOf(job, kernel, isPlaced);
  const std::string bytes = serialize(result);
  folder.store(name, bytes);
  if (remote && result.diagnostics.empty())
    remote->put(name, bytes);
}

} // namespace sextant
