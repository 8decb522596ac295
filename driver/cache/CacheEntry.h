// The bytes of a cache entry, in a folder and on a server: a magic word, a hash, and what is
// stored.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sextant {

/// What an entry has before its content.
inline constexpr size_t entryHeadBytes = 8 + 32;

/// Returns the entry of `content` under `key` (hexadecimal). Its hash covers the key, so the same
/// bytes under another key count as damage; and `secret`, so that only who knows it makes entries.
/// \param secret empty, or hexadecimal digits
std::string sealEntry(std::string_view key, std::string_view content, std::string_view secret = {});
/// Returns the content of an entry, or nothing if it is damaged, was made under another key or with
/// another secret.
std::optional<std::string> openEntry(std::string_view key, std::string_view entry,
                                     std::string_view secret = {});

} // namespace sextant
