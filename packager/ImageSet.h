// Images, each kept once, however often it is added.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace sextant::packager {

class ImageSet {
public:
  /// Returns the image's number: that of an equal one, or the next, whose bytes are copied.
  uint32_t add(std::span<const std::byte> bytes);
  /// The same without a copy.
  uint32_t add(std::vector<std::byte> &&bytes);

  const std::vector<std::vector<std::byte>> &all() const { return images; }
  /// Gives the images up.
  std::vector<std::vector<std::byte>> take() && { return std::move(images); }

private:
  std::optional<uint32_t> find(std::span<const std::byte> bytes, uint64_t hash) const;
  uint32_t append(std::vector<std::byte> bytes, uint64_t hash);

  std::vector<std::vector<std::byte>> images;
  std::unordered_multimap<uint64_t, uint32_t> byHash;
};

} // namespace sextant::packager
