// Puts images and kernel records into packs and compresses these, some of them against another
// pack. docs/decisions/0003-packs-of-images.md and 0008-split-images.md measure the trade of size
// and decoding time.
#pragma once

#include "loader/format/Result.h"
#include "packager/Compression.h"
#include "packager/FrameMemo.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace sextant::packager {

/// One item to be packed, and the items that it is probably similar to.
struct PackItem {
  std::span<const std::byte> bytes;
  uint32_t family = 0; ///< only items of one family share a pack or a base; ascending numbers
  uint32_t target = 0; ///< packs hold one target's items
  uint32_t kernel = 0;
  // Computed by planPacks.
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
};

/// Plans packs of at most `capacity` bytes. A larger item has a pack of its own. The result is
/// ordered by family and target.
std::vector<PackPlan> planPacks(std::vector<PackItem> items, size_t capacity, PackForm form);

/// The settings for a module's size.
struct Effort {
  int level;         ///< zstd's; 0: stored as it is
  size_t imageBytes; ///< size of a pack of images: a trade of size and the first image's time
  unsigned maxDepth; ///< bases below a pack, likewise; readers take up to maxPackDepth
};
Effort effortOf(Compression compression);

/// Compresses all packs. The result depends neither on `jobs` nor on what `store` has.
/// \param store takes results, and gives those of earlier calls; null: there is none
module::Result<std::vector<PackedFrame>> compressPacks(std::span<const PackPlan> packs,
                                                       const Effort &effort, unsigned jobs,
                                                       FrameStore *store = nullptr);

} // namespace sextant::packager
