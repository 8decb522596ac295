// Puts images and kernel records into packs and compresses those, each against
// another where that pays. The trade of size and decoding time is measured in
// docs/decisions/0003-packs-of-images.md.
#pragma once

#include "loader/format/Format.h"
#include "loader/format/Result.h"
#include "packager/Compression.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace sextant::packager {

/// One thing to be packed, and what it is likely to resemble.
struct PackItem {
  std::span<const std::byte> bytes;
  uint32_t family = 0; ///< only items of one family share a pack or a base; ascending numbers
  uint32_t target = 0; ///< packs hold one target's items
  uint32_t kernel = 0;
};

/// A pack before it is compressed.
struct PackPlan {
  std::vector<uint32_t> items; ///< numbers of items, in their order in the pack
  std::vector<std::byte> content;
  bool hasImages = true;
  uint32_t family = 0, target = 0;
  uint32_t block = 0; ///< the packs of one block hold the same kernels
};

/// Packs of at most `capacity` bytes, but for larger items, which are alone in theirs.
/// Ordered by family, target and block.
/// \param hasImages the content begins with the items' sizes
std::vector<PackPlan> planPacks(std::span<const PackItem> items, size_t capacity, bool hasImages);

/// A pack as the file holds it.
struct PackedFrame {
  std::vector<std::byte> bytes;
  module::format::Codec codec = module::format::Codec::Stored;
  uint32_t base = module::format::noBase;
};

/// Compresses all packs. The result does not depend on `jobs`.
module::Result<std::vector<PackedFrame>> compressPacks(std::span<const PackPlan> packs,
                                                       Compression compression, unsigned jobs);

} // namespace sextant::packager
