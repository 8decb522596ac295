// Decides which items share a pack and which pack is compressed against which, and runs zstd.
#include "packager/Packs.h"
#include "loader/format/Packs.h"
#include "packager/Bytes.h"
#include "packager/Sign.h"
#include "packager/Similar.h"
#include "packager/Split.h"
#include "packager/Workers.h"

#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <new>
#include <numeric>
#include <tuple>
#include <zstd.h>

namespace sextant::packager {

using namespace module::format;
using module::Code;
using module::Result;
using module::Status;

/// The most images in a pack. To find one, readers count from the first.
static constexpr size_t maxItems = 4096;
static_assert(maxItems <= maxPackImages);
/// zstd's level for trying bases. It ranks them as well as higher levels.
static constexpr int trialLevel = 1;
/// How many packs before it are compared with a pack, and how many of them are tried as its base.
static constexpr uint32_t maxLookBack = 1024;
static constexpr size_t maxSimilar = 8;

//===--- Which items lie together ------------------------------------------===//

/// Computes the block of each kernel of one family: consecutive kernels, as many as fit into a pack
/// for every target, so that the packs of different targets hold the same kernels.
static std::map<uint32_t, uint32_t> blocksOf(std::span<const PackItem> items, size_t capacity) {
  std::map<uint32_t, std::map<uint32_t, size_t>> sizes; // kernel, target
  for (const PackItem &item : items)
    sizes[item.kernel][item.target] += item.size;
  std::map<uint32_t, uint32_t> blocks;
  std::map<uint32_t, size_t> filled; // bytes filled for each target
  uint32_t block = 0;
  for (const auto &[kernel, byTarget] : sizes) {
    const bool isFull = std::any_of(byTarget.begin(), byTarget.end(), [&](const auto &entry) {
      const size_t before = filled[entry.first];
      return before != 0 && before + entry.second > capacity;
    });
    if (isFull) {
      ++block;
      filled.clear();
    }
    for (const auto &[target, size] : byTarget)
      filled[target] += size;
    blocks[kernel] = block;
  }
  return blocks;
}

/// Concatenates items: records at multiples of 8, images after their sizes.
static std::vector<std::byte> joined(std::span<const PackItem> items, const PackPlan &pack) {
  std::vector<std::byte> content;
  if (pack.form == PackForm::Images)
    for (const uint32_t number : pack.items) {
      const uint64_t size = items[number].bytes.size();
      append(content, size);
    }
  for (const uint32_t number : pack.items) {
    if (pack.form == PackForm::Records)
      content.resize((content.size() + 7) / 8 * 8);
    appendBytes(content, items[number].bytes);
  }
  return content;
}

/// Orders the items by family, then by target and kernel, so that modules do not depend on the
/// order in which images were added.
static std::vector<uint32_t> sorted(std::span<const PackItem> items) {
  auto key = [&](uint32_t number) {
    const PackItem &item = items[number];
    return std::tuple(item.family, item.target, item.kernel, number);
  };
  std::vector<uint32_t> numbers(items.size());
  std::iota(numbers.begin(), numbers.end(), 0u);
  std::sort(numbers.begin(), numbers.end(),
            [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
  return numbers;
}

namespace {

/// The splitters of all targets. Images of one target have more in common than those of a family,
/// and no pack has those of two targets.
struct Splitters {
  std::map<uint32_t, Splitter> byTarget;
  std::vector<uint32_t> places; ///< place of each item in its splitter

  explicit Splitters(std::span<const PackItem> items) : places(items.size()) {
    std::map<uint32_t, std::vector<std::span<const std::byte>>> images;
    for (const uint32_t number : sorted(items)) {
      auto &members = images[items[number].target];
      places[number] = static_cast<uint32_t>(members.size());
      members.push_back(items[number].bytes);
    }
    for (auto &[target, members] : images)
      byTarget.emplace(target, std::move(members));
  }
  void measure(uint32_t number, PackItem &item) const {
    const Splitter &splitter = byTarget.at(item.target);
    item.size = splitter.ownBytes(places[number]);
    item.pieces = splitter.pieceCount(places[number]);
  }
  std::vector<std::byte> content(const PackPlan &pack) const {
    std::vector<uint32_t> numbers;
    for (const uint32_t number : pack.items)
      numbers.push_back(places[number]);
    return byTarget.at(pack.target).content(numbers);
  }
};

/// The state of a pack while it is filled.
struct Filling {
  size_t bytes = 0, pieces = 0, mostPieces = 0;

  void add(const PackItem &item) {
    bytes += item.size;
    pieces += item.pieces;
    mostPieces = std::max(mostPieces, item.pieces);
  }
  /// Readers refuse packs with more pieces than bytes. Besides the images' own pieces there are
  /// those of their templates, at least of the longest.
  bool isReadable() const { return pieces <= bytes + mostPieces * sizeof(PieceItem); }
};

} // namespace

/// Plans packs without their contents.
static std::vector<PackPlan> arrange(std::span<const PackItem> items, size_t capacity,
                                     PackForm form) {
  std::map<uint32_t, std::vector<PackItem>> families;
  for (const PackItem &item : items)
    families[item.family].push_back(item);
  std::map<uint32_t, std::map<uint32_t, uint32_t>> blocks;
  for (const auto &[family, members] : families)
    blocks[family] = blocksOf(members, capacity);

  std::vector<PackPlan> packs;
  Filling filled;
  uint32_t lastBlock = 0;
  for (const uint32_t number : sorted(items)) {
    const PackItem &item = items[number];
    const uint32_t block = blocks[item.family][item.kernel];
    Filling with = filled;
    with.add(item);
    // If a kernel's images of one target exceed a pack, the kernel is split.
    const bool fits = !packs.empty() && packs.back().family == item.family &&
                      packs.back().target == item.target && block == lastBlock &&
                      with.bytes <= capacity && with.isReadable() &&
                      packs.back().items.size() < maxItems;
    if (!fits) {
      packs.push_back({{}, {}, form, item.family, item.target});
      filled = {};
    }
    lastBlock = block;
    packs.back().items.push_back(number);
    filled.add(item);
  }
  return packs;
}

std::vector<PackPlan> planPacks(std::vector<PackItem> items, size_t capacity, PackForm form) {
  if (form != PackForm::SplitImages) {
    for (PackItem &item : items)
      item.size = item.bytes.size() + sizeof(uint64_t);
    std::vector<PackPlan> packs = arrange(items, capacity, form);
    for (PackPlan &pack : packs)
      pack.content = joined(items, pack);
    return packs;
  }
  const Splitters splitters(items);
  for (uint32_t number = 0; number < items.size(); ++number)
    splitters.measure(number, items[number]);
  std::vector<PackPlan> packs = arrange(items, capacity, form);
  for (PackPlan &pack : packs)
    pack.content = splitters.content(pack);
  return packs;
}

//===--- Compression -------------------------------------------------------===//

namespace {

using Context = std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)>;

/// Compresses `content` after `prefix` into one frame. `size` may hold a zstd error code.
struct Attempt {
  std::vector<std::byte> bytes;
  size_t size = 0;
};

Attempt compressOnce(ZSTD_CCtx *context, std::span<const std::byte> content,
                     std::span<const std::byte> prefix, int level) {
  Attempt attempt;
  ZSTD_CCtx_reset(context, ZSTD_reset_session_and_parameters);
  // The window has to reach over the prefix.
  const uint64_t reach = content.size() + prefix.size();
  const int window = std::clamp(static_cast<int>(std::bit_width(reach)), 10, 27);
  for (const auto &[parameter, value] :
       {std::pair(ZSTD_c_compressionLevel, level), std::pair(ZSTD_c_windowLog, window)}) {
    attempt.size = ZSTD_CCtx_setParameter(context, parameter, value);
    if (ZSTD_isError(attempt.size) != 0U)
      return attempt;
  }
  if (!prefix.empty())
    attempt.size = ZSTD_CCtx_refPrefix(context, prefix.data(), prefix.size());
  if (ZSTD_isError(attempt.size) != 0U)
    return attempt;
  attempt.bytes.resize(ZSTD_compressBound(content.size()));
  attempt.size = ZSTD_compress2(context, attempt.bytes.data(), attempt.bytes.size(), content.data(),
                                content.size());
  if (ZSTD_isError(attempt.size) == 0U) {
    attempt.bytes.resize(attempt.size);
    attempt.bytes.shrink_to_fit(); // frames are kept: a tenth of the bound
  }
  return attempt;
}

Context makeContext() {
  Context context(ZSTD_createCCtx(), &ZSTD_freeCCtx);
  return context ? std::move(context) : throw std::bad_alloc();
}

/// A pack on its way to a frame.
struct Packing {
  /// The packs that this one may be compressed against; the first stands for none.
  std::vector<uint32_t> candidates;
  std::vector<module::Sha256> hashes; ///< hashes of the candidates; empty: it has no memo
  std::string key;                    ///< the memo's key
  std::optional<FrameMemo> known;     ///< the trials' results, and the frame of an earlier build
  uint32_t chosen = 0;                ///< number of the chosen candidate
};

/// Finds the candidates of each pack: no base, and the most similar of the packs before it in its
/// family, the nearest first of equals.
std::vector<Packing> candidatesOf(std::span<const PackPlan> packs, unsigned jobs) {
  std::vector<Sketch> sketches(packs.size());
  forAll(packs.size(), jobs, [&](size_t pack) { sketches[pack] = sketchOf(packs[pack].content); });
  std::vector<uint32_t> firsts(packs.size()); // the first pack of each pack's family
  for (uint32_t pack = 1; pack < packs.size(); ++pack)
    firsts[pack] =
        packs[pack].family == packs[pack - 1].family && packs[pack].form == packs[pack - 1].form
            ? firsts[pack - 1]
            : pack;
  std::vector<Packing> packings(packs.size());
  forAll(packs.size(), jobs, [&](size_t number) {
    const auto pack = static_cast<uint32_t>(number);
    const uint32_t start = std::max(firsts[pack], pack - std::min(pack, maxLookBack));
    std::vector<std::pair<unsigned, uint32_t>> found; // dissimilarity, distance
    for (uint32_t base = start; base < pack; ++base)
      found.emplace_back(Sketch::bins - similarityOf(sketches[pack], sketches[base]), pack - base);
    const auto end = found.begin() + static_cast<ptrdiff_t>(std::min(found.size(), maxSimilar));
    std::partial_sort(found.begin(), end, found.end());
    packings[pack].candidates.push_back(noBase);
    for (auto at = found.begin(); at != end; ++at)
      packings[pack].candidates.push_back(pack - at->second);
  });
  return packings;
}

std::span<const std::byte> contentOf(std::span<const PackPlan> packs, uint32_t pack) {
  return pack == noBase ? std::span<const std::byte>() : std::span(packs[pack].content);
}

/// Looks all packs up that are worth it.
void recall(std::span<const PackPlan> packs, std::vector<Packing> &packings, int level,
            unsigned jobs, FrameStore &store) {
  std::vector<module::Sha256> hashes(packs.size());
  forAll(packs.size(), jobs, [&](size_t pack) { hashes[pack] = sha256(packs[pack].content); });
  forAll(packs.size(), jobs, [&](size_t pack) {
    Packing &packing = packings[pack];
    if (packs[pack].content.size() < leastRemembered)
      return;
    for (const uint32_t base : packing.candidates)
      packing.hashes.push_back(base == noBase ? module::Sha256{} : hashes[base]);
    packing.key = memoKey(hashes[pack], level, trialLevel);
    if (const std::optional<std::string> bytes = store.find(packing.key))
      packing.known = decodeMemo(*bytes);
  });
}

/// True if a remembered frame decompresses to the content. The store may be one that others write
/// to, and decompressing costs little beside compressing.
bool holds(const PackedFrame &frame, std::span<const std::byte> content,
           std::span<const std::byte> prefix) {
  if (frame.codec == Codec::Stored)
    return std::ranges::equal(frame.bytes, content);
  std::vector<std::byte> found(content.size());
  return module::Decompressor().run(frame.bytes, prefix, found, "a remembered pack").ok() &&
         std::ranges::equal(found, content);
}

/// Stores what is now known of a pack, unless it was known before.
void remember(const Packing &packing, std::span<const uint64_t> sizes, const PackedFrame &frame,
              bool isFrameKnown, FrameStore &store) {
  const auto isKnown = [&](const module::Sha256 &base) {
    return packing.known->sizeWith(base) != nullptr;
  };
  if (isFrameKnown && std::ranges::all_of(packing.hashes, isKnown))
    return;
  FrameMemo memo{{}, packing.hashes[packing.chosen], frame};
  for (size_t i = 0; i < sizes.size(); ++i)
    memo.trials.push_back({packing.hashes[i], sizes[i]});
  store.store(packing.key, encodeMemo(memo));
}

/// Compresses each pack against each of its candidates, unless that is known.
std::vector<std::vector<uint64_t>> tryBases(std::span<const PackPlan> packs,
                                            std::span<const Packing> packings, unsigned jobs) {
  std::vector<std::vector<uint64_t>> sizes(packs.size());
  std::vector<std::pair<uint32_t, uint32_t>> trials; // pack, number of the candidate
  for (uint32_t pack = 0; pack < packs.size(); ++pack) {
    const Packing &packing = packings[pack];
    sizes[pack].resize(packing.candidates.size());
    for (uint32_t i = 0; i < packing.candidates.size(); ++i)
      if (const uint64_t *size =
              packing.known ? packing.known->sizeWith(packing.hashes[i]) : nullptr)
        sizes[pack][i] = *size;
      else
        trials.emplace_back(pack, i);
  }
  forAll(trials.size(), jobs, makeContext, [&](const Context &context, size_t number) {
    const auto [pack, i] = trials[number];
    sizes[pack][i] = compressOnce(context.get(), packs[pack].content,
                                  contentOf(packs, packings[pack].candidates[i]), trialLevel)
                         .size;
  });
  return sizes;
}

/// The cost of a candidate: its bytes, and a tenth more for each base below it, because all bases
/// are decompressed before the pack.
size_t costOf(size_t size, unsigned depth) { return size * (10 + depth); }

/// Chooses the base of each pack: the cheapest of those that are not too deep.
void chooseBases(std::vector<Packing> &packings, std::span<const std::vector<uint64_t>> sizes,
                 unsigned maxDepth) {
  std::vector<unsigned> depths(packings.size());
  for (size_t pack = 0; pack < packings.size(); ++pack) {
    Packing &packing = packings[pack];
    size_t least = costOf(sizes[pack][0], 0);
    for (uint32_t i = 1; i < packing.candidates.size(); ++i) {
      const unsigned depth = depths[packing.candidates[i]] + 1;
      const size_t cost = costOf(sizes[pack][i], depth);
      if (depth > maxDepth || ZSTD_isError(sizes[pack][i]) != 0U || cost >= least)
        continue;
      least = cost;
      packing.chosen = i;
      depths[pack] = depth;
    }
  }
}

} // namespace

/// Stores all packs uncompressed, for users who want no decompression.
static std::vector<PackedFrame> storedFrames(std::span<const PackPlan> packs) {
  std::vector<PackedFrame> frames;
  for (const PackPlan &pack : packs)
    frames.push_back({pack.content, Codec::Stored, noBase});
  return frames;
}

Effort effortOf(Compression compression) {
  switch (compression) {
  case Compression::None:
    return {0, 0, 0}; // each image by itself: nothing else is read to use it
  case Compression::Fast:
    return {3, 96 << 10, 2};
  case Compression::Balanced:
    break;
  case Compression::Small:
    return {22, 512 << 10, maxPackDepth};
  }
  return {19, 64 << 10, 6};
}

Result<std::vector<PackedFrame>> compressPacks(std::span<const PackPlan> packs,
                                               const Effort &effort, unsigned jobs,
                                               FrameStore *store) {
  if (effort.level == 0)
    return storedFrames(packs);
  std::vector<Packing> packings = candidatesOf(packs, jobs);
  if (store)
    recall(packs, packings, effort.level, jobs, *store);
  const std::vector<std::vector<uint64_t>> sizes = tryBases(packs, packings, jobs);
  chooseBases(packings, sizes, effort.maxDepth);
  std::vector<PackedFrame> frames(packs.size());
  std::vector<size_t> problems(packs.size());
  forAll(packs.size(), jobs, makeContext, [&](const Context &context, size_t i) {
    const std::vector<std::byte> &content = packs[i].content;
    Packing &packing = packings[i];
    const uint32_t base = packing.candidates[packing.chosen];
    const bool isKnown = packing.known && packing.known->base == packing.hashes[packing.chosen] &&
                         holds(packing.known->frame, content, contentOf(packs, base));
    if (isKnown) {
      frames[i] = std::move(packing.known->frame);
    } else {
      Attempt attempt = compressOnce(context.get(), content, contentOf(packs, base), effort.level);
      if (ZSTD_isError(attempt.size) != 0U) {
        problems[i] = attempt.size;
        return;
      }
      if (attempt.size < content.size())
        frames[i] = {std::move(attempt.bytes), Codec::Zstd, noBase};
      else
        frames[i] = {content, Codec::Stored, noBase};
    }
    if (!packing.hashes.empty())
      remember(packing, sizes[i], frames[i], isKnown, *store);
    if (frames[i].codec == Codec::Zstd)
      frames[i].base = base;
  });
  for (const size_t problem : problems)
    if (ZSTD_isError(problem) != 0U)
      return Status{Code::InvalidInput,
                    std::string("zstd cannot compress the module: ") + ZSTD_getErrorName(problem)};
  return frames;
}

} // namespace sextant::packager
