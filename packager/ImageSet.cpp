#include "packager/ImageSet.h"
#include "loader/format/Hash.h"

#include <algorithm>

namespace sextant::packager {

std::optional<uint32_t> ImageSet::find(std::span<const std::byte> bytes, uint64_t hash) const {
  for (auto [known, end] = byHash.equal_range(hash); known != end; ++known)
    if (std::ranges::equal(bytes, images[known->second]))
      return known->second;
  return std::nullopt;
}

uint32_t ImageSet::append(std::vector<std::byte> bytes, uint64_t hash) {
  const auto number = static_cast<uint32_t>(images.size());
  images.push_back(std::move(bytes));
  byHash.emplace(hash, number);
  return number;
}

uint32_t ImageSet::add(std::span<const std::byte> bytes) {
  const uint64_t hash = module::hash64(bytes.data(), bytes.size());
  const std::optional<uint32_t> known = find(bytes, hash);
  return known ? *known : append({bytes.begin(), bytes.end()}, hash);
}

uint32_t ImageSet::add(std::vector<std::byte> &&bytes) {
  const uint64_t hash = module::hash64(bytes.data(), bytes.size());
  const std::optional<uint32_t> known = find(bytes, hash);
  return known ? *known : append(std::move(bytes), hash);
}

} // namespace sextant::packager
