// The bytes of a cache entry, in a folder and on a server: a head with a hash, the entry's name,
// and what is stored.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sextant {

/// The name of an entry. All of it is sealed into the entry, and compared when it is read.
struct EntryName {
  std::string key; ///< hexadecimal, at least 8 digits
  /// The kind of content, with target and options: "image cpu:x86-64-v3/wave8 -O3".
  std::string about;
};

/// The bytes before an entry's name: a magic word, the hash, two lengths.
inline constexpr size_t entryHeadBytes = 8 + 32 + 8 + 8;

/// Returns the entry of `content`. Its hash covers the name and the secret. So entries under
/// another name count as damage, and only holders of the secret can make entries.
/// \param secret empty, or hexadecimal digits
std::string sealEntry(const EntryName &name, std::string_view content,
                      std::string_view secret = {});
/// Returns the content of an entry, or nothing if it is damaged, or was made under another name or
/// with another secret.
std::optional<std::string> openEntry(const EntryName &name, std::string_view entry,
                                     std::string_view secret = {});
/// Returns the size that an entry's head states. Absent: it is not a head. So a reader knows from
/// the head whether the rest is worth reading.
std::optional<uint64_t> sizeOfEntry(std::string_view head);

} // namespace sextant
