// What the bytes of an ELF image are for: code objects, cubins, shared objects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>

namespace sextant::packager {

/// Bytes by kind: "code", "constants", "data", "symbols", "relocations", "notes", "debug",
/// "unwinding", "headers", "padding", "other". They add up to the image's size, however its
/// sections lie. Empty: no 64-bit little-endian ELF whose section headers lie inside. Nothing
/// is believed that the image says.
std::map<std::string_view, uint64_t> elfParts(std::span<const std::byte> image);

} // namespace sextant::packager
