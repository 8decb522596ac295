// Entries are hashed with BLAKE3. A secret stands before the key: the hash is then a MAC, since
// BLAKE3 gives nothing from which the hash of a longer text could be made.
#include "driver/cache/CacheEntry.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/BLAKE3.h"

namespace sextant {
namespace {

constexpr std::string_view magic = "sxtcach2";

std::string hashOf(std::string_view key, std::string_view content, std::string_view secret) {
  llvm::BLAKE3 hasher;
  // Neither a secret nor a key holds what ends it.
  if (!secret.empty()) {
    hasher.update(secret);
    hasher.update(llvm::StringRef("\r", 1));
  }
  hasher.update(key);
  hasher.update(llvm::StringRef("\n", 1));
  hasher.update(content);
  auto hash = hasher.final<entryHeadBytes - magic.size()>();
  return {reinterpret_cast<const char *>(hash.data()), hash.size()};
}

} // namespace

std::string sealEntry(std::string_view key, std::string_view content, std::string_view secret) {
  std::string entry;
  entry.reserve(entryHeadBytes + content.size());
  entry.append(magic).append(hashOf(key, content, secret)).append(content);
  return entry;
}

std::optional<std::string> openEntry(std::string_view key, std::string_view entry,
                                     std::string_view secret) {
  if (entry.size() < entryHeadBytes || !entry.starts_with(magic))
    return std::nullopt;
  const std::string_view content = entry.substr(entryHeadBytes);
  if (entry.substr(magic.size(), entryHeadBytes - magic.size()) != hashOf(key, content, secret))
    return std::nullopt;
  return std::string(content);
}

} // namespace sextant
