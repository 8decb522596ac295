// Entries are hashed with BLAKE3. A secret stands before the rest: the hash is then a MAC, since
// BLAKE3 gives nothing from which the hash of a longer text could be made.
#include "driver/cache/CacheEntry.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/BLAKE3.h"

#include <cstring>

namespace sextant {
namespace {

constexpr std::string_view magic = "sxtcach3";
constexpr size_t hashBytes = 32;

/// \param sealed all after the hash: lengths, name, content
std::string hashOf(std::string_view sealed, std::string_view secret) {
  llvm::BLAKE3 hasher;
  if (!secret.empty()) { // which does not hold what ends it
    hasher.update(secret);
    hasher.update(llvm::StringRef("\r", 1));
  }
  hasher.update(sealed);
  auto hash = hasher.final<hashBytes>();
  return {reinterpret_cast<const char *>(hash.data()), hash.size()};
}

std::string textOf(const EntryName &name) { return name.key + " " + name.about; }

std::string bytesOf(uint64_t length) {
  return {reinterpret_cast<const char *>(&length), sizeof length};
}

} // namespace

std::string sealEntry(const EntryName &name, std::string_view content, std::string_view secret) {
  const std::string text = textOf(name);
  std::string entry(magic);
  entry.reserve(entryHeadBytes + text.size() + content.size());
  entry.append(hashBytes, '\0').append(bytesOf(text.size())).append(bytesOf(content.size()));
  entry.append(text).append(content);
  const size_t sealed = magic.size() + hashBytes;
  entry.replace(magic.size(), hashBytes, hashOf(std::string_view(entry).substr(sealed), secret));
  return entry;
}

std::optional<uint64_t> sizeOfEntry(std::string_view head) {
  if (head.size() < entryHeadBytes || !head.starts_with(magic))
    return std::nullopt;
  uint64_t lengths[2];
  std::memcpy(lengths, head.data() + magic.size() + hashBytes, sizeof lengths);
  constexpr uint64_t most = UINT64_MAX / 4;
  if (lengths[0] > most || lengths[1] > most)
    return std::nullopt;
  return entryHeadBytes + lengths[0] + lengths[1];
}

std::optional<std::string> openEntry(const EntryName &name, std::string_view entry,
                                     std::string_view secret) {
  if (sizeOfEntry(entry) != entry.size())
    return std::nullopt;
  const std::string text = textOf(name);
  const std::string_view hash = entry.substr(magic.size(), hashBytes),
                         sealed = entry.substr(magic.size() + hashBytes);
  // The lengths add up, so a name of this length leaves the content's.
  if (!sealed.starts_with(bytesOf(text.size())) ||
      !entry.substr(entryHeadBytes).starts_with(text) || hash != hashOf(sealed, secret))
    return std::nullopt;
  return std::string(entry.substr(entryHeadBytes + text.size()));
}

} // namespace sextant
