// Puts images and kernel records into packs and compresses those, each against
// another where that pays. The trade of size and decoding time is measured in
// docs/decisions/0003-packs-of-images.md and 0008-split-images.md.
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
  // planPacks finds these out.
  size_t size = 0;   ///< bytes that it adds to a pack's content
  size_t pieces = 0; ///< split images: that readers count off
};

/// How items become a pack's content; see PackEntry.
enum class PackForm : uint8_t { Records, Images, SplitImages };

/// A pack before it is compressed.
struct PackPlan {
  std::vector<uint32_t> items; ///< numbers of items, in their order in the pack
  std::vector<std::byte> content;
  PackForm form = PackForm::Images;
  uint32_t family = 0, target = 0;
  uint32_t block = 0; ///< the packs of one block hold the same kernels
};

/// Packs of at most `capacity` bytes, but for larger items, which are alone in theirs.
/// Ordered by family, target and block.
std::vector<PackPlan> planPacks(std::vector<PackItem> items, size_t capacity, PackForm form);

/// What is done for a module's size.
struct Effort {
  int level;         ///< zstd's; 0: stored as it is
  size_t imageBytes; ///< of a pack of images: a trade of size and of the first image's time
  unsigned maxDepth; ///< bases below a pack, likewise; readers take up to maxPackDepth
};
Effort effortOf(Compression compression);

/// A pack as the file holds it.
struct PackedFrame {
  std::vector<std::byte> bytes;
  module::format::Codec codec = module::format::Codec::Stored;
  uint32_t base = module::format::noBase;
};

/// Compresses all packs. The result does not depend on `jobs`.
module::Result<std::vector<PackedFrame>> compressPacks(std::span<const PackPlan> packs,
                                                       const Effort &effort, unsigned jobs);

} // namespace sextant::packager
