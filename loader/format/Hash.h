// The hashes of the format: XXH3. They find damage, but they do not stop a forger.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace sextant::module {

/// XXH3-64.
uint64_t hash64(const void *data, size_t size, uint64_t seed = 0);
/// XXH3-128 in canonical (big-endian) byte order.
std::array<uint8_t, 16> hash128(const void *data, size_t size);
inline std::array<uint8_t, 16> hash128(std::span<const std::byte> bytes) {
  return hash128(bytes.data(), bytes.size());
}

} // namespace sextant::module
