// Attributes the bytes of an ELF image to kinds: code objects, cubins, shared objects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>

namespace sextant::packager {

/// Returns the bytes by kind: "code", "constants", "data", "symbols", "relocations", "notes",
/// "debug", "unwinding", "headers", "padding", "other". They add up to the image's size, however
/// its sections lie. Empty if the image is not a 64-bit little-endian ELF file whose section
/// headers lie inside it. The image is untrusted.
std::map<std::string_view, uint64_t> elfParts(std::span<const std::byte> image);

} // namespace sextant::packager
