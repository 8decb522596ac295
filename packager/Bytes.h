// Numbers in and out of vectors of bytes, as they lie in memory: the format's order, as Format.h
// demands of the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace sextant::packager {

inline uint32_t wordAt(std::span<const std::byte> bytes, size_t offset) {
  uint32_t word = 0;
  std::memcpy(&word, bytes.data() + offset, sizeof(word));
  return word;
}

inline void appendBytes(std::vector<std::byte> &to, std::span<const std::byte> bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

template <class T> void append(std::vector<std::byte> &to, const T &value) {
  appendBytes(to, std::as_bytes(std::span(&value, 1)));
}

} // namespace sextant::packager
