// Finds and decompresses packs. It allocates nothing before the sizes of a pack and of all its
// bases are known and fit the limit.
#include "loader/format/Packs.h"
#include "loader/format/Entries.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>
#include <new>
#include <zstd.h>

namespace sextant::module {

using namespace format;

Status Allowance::take(uint64_t bytes) {
  if (bytes > left)
    return {Code::TooLarge, message("the module takes more than %" PRIu64
                                    " bytes decoded, which is the limit for a file "
                                    "of %" PRIu64 "; raise the limit if you trust the module",
                                    whole, fileBytes)};
  left -= bytes;
  return {};
}

/// The bytes that a content takes in a cache: empty ones are not free.
static size_t costOf(const PackBytes &content) { return content.bytes().size() + 256; }

PackContent PackCache::find(uint32_t pack) {
  std::lock_guard lock(mutex);
  const auto place = places.find(pack);
  if (place == places.end())
    return nullptr;
  entries.splice(entries.begin(), entries, place->second);
  return place->second->content;
}

void PackCache::keep(uint32_t pack, const PackContent &content) {
  std::lock_guard lock(mutex);
  const auto [place, isNew] = places.try_emplace(pack);
  if (!isNew) // another thread was faster
    return;
  entries.push_front({pack, content});
  place->second = entries.begin();
  bytes += costOf(*content);
  while (bytes > most && entries.size() > 1) {
    bytes -= costOf(*entries.back().content);
    places.erase(entries.back().pack);
    entries.pop_back();
  }
}

Status checkCodec(uint32_t codec, uint64_t bytes, uint64_t storedBytes, const std::string &who,
                  bool isAsItIs, const char *otherwise) {
  switch (static_cast<Codec>(codec)) {
  case Codec::Stored:
    return bytes == storedBytes && isAsItIs ? Status{} : corrupt(who, otherwise);
  case Codec::Zstd:
    return bytes / maxZstdRatio <= storedBytes
               ? Status{}
               : corrupt(who, message("no frame of %" PRIu64 " bytes holds %" PRIu64, storedBytes,
                                      bytes));
  default:
    return {Code::Unsupported,
            message("%s is compressed in a way (%u) that this loader lacks; use a newer loader",
                    who.c_str(), codec)};
  }
}

static std::string who(uint32_t index) { return message("pack %u", index); }

Result<PackEntry> packEntry(const ByteSource &source, const Header &header, uint32_t index) {
  if (index >= header.packCount)
    return corrupt(who(index), "it does not exist");
  Result<PackEntry> entry =
      readEntry<PackEntry>(source, header.packEntries, header.packEntryBytes, index, who);
  SXT_MODULE_TRY(entry);
  if (!source.has(entry->offset, entry->storedBytes))
    return corrupt(who(index), "it reaches past the file's end");
  if (entry->imageCount > maxPackImages)
    return corrupt(who(index), message("it cannot have %u images", entry->imageCount));
  const bool hasBase = entry->base != noBase;
  if (hasBase && entry->base >= index)
    return corrupt(who(index), message("its base, pack %u, does not come before it", entry->base));
  SXT_MODULE_TRY(checkCodec(entry->codec, entry->bytes, entry->storedBytes, who(index), !hasBase,
                            "it is stored as it is, yet has another size or a base"));
  return entry;
}

Decompressor::Decompressor() : context(ZSTD_createDCtx()) {}
Decompressor::~Decompressor() { ZSTD_freeDCtx(context); }

Status Decompressor::run(std::span<const std::byte> frame, std::span<const std::byte> prefix,
                         std::span<std::byte> out, const std::string &who) {
  if (ZSTD_getFrameContentSize(frame.data(), frame.size()) != out.size())
    return corrupt(who, "its zstd frame does not hold the bytes that its entry states");
  // zstd may include decoders for frames of versions before 0.8. They are not safe for untrusted
  // files.
  uint32_t magic = 0;
  std::memcpy(&magic, frame.data(), std::min(frame.size(), sizeof(magic)));
  const size_t whole = ZSTD_findFrameCompressedSize(frame.data(), frame.size());
  if (magic != ZSTD_MAGICNUMBER || (ZSTD_isError(whole) == 0U && whole != frame.size()))
    return corrupt(who, "it is not exactly one zstd frame");
  if (context == nullptr)
    throw std::bad_alloc();
  // Without a prefix, this call clears the last frame's prefix.
  size_t got = ZSTD_DCtx_refPrefix(context, prefix.data(), prefix.size());
  if (ZSTD_isError(got) == 0U)
    got = ZSTD_decompressDCtx(context, out.data(), out.size(), frame.data(), frame.size());
  if (got != out.size()) // an error; of another size zstd itself would say so
    return corrupt(who, std::string("its zstd frame is damaged (") + ZSTD_getErrorName(got) + ")");
  return {};
}

static Result<PackContent> decode(const ByteSource &source, const PackEntry &entry,
                                  const PackContent &base, uint32_t index, const Crypto *crypto,
                                  const Trust &trust, Decompressor &decompressor) {
  const Result<Part> part = source.read(entry.offset, entry.storedBytes);
  SXT_MODULE_TRY(part);
  const std::span<const std::byte> frame = part->bytes;
  if (crypto != nullptr) {
    Sha256 digest{};
    crypto->sha256(digest.data(), reinterpret_cast<const unsigned char *>(frame.data()),
                   frame.size());
    if (!std::equal(digest.begin(), digest.end(), entry.frameDigest))
      return altered(who(index), trust);
  }
  auto content = std::make_shared<PackBytes>(entry.bytes);
  if (static_cast<Codec>(entry.codec) == Codec::Stored) {
    std::copy(frame.begin(), frame.end(), content->bytes().begin());
  } else {
    std::span<const std::byte> prefix;
    if (base)
      prefix = base->bytes();
    Status status = decompressor.run(frame, prefix, content->bytes(), who(index));
    SXT_MODULE_TRY(status);
  }
  const auto hash = hash128(content->bytes());
  if (std::memcmp(hash.data(), entry.contentHash, sizeof(entry.contentHash)) != 0)
    return corrupt(who(index), "the hash of its content does not match");
  return PackContent(std::move(content));
}

Result<PackContent> packContent(const ByteSource &source, const Header &header, uint32_t index,
                                uint64_t maxBytes, PackCache &cache, const Trust &trust,
                                Allowance *allowance) {
  // Goes from the pack down to one that is cached or has no base, then up again.
  struct Step {
    uint32_t index;
    PackEntry entry;
  };
  std::vector<Step> steps;
  PackContent content = cache.find(index);
  if (content)
    return content;
  uint64_t total = 0;
  for (uint32_t at = index; !content;) {
    if (steps.size() > maxPackDepth)
      return corrupt(who(index), message("more than %u bases lie below it", maxPackDepth));
    const Result<PackEntry> entry = packEntry(source, header, at);
    SXT_MODULE_TRY(entry);
    if (entry->bytes > maxBytes - total)
      return Status{Code::TooLarge, message("%s takes more than %" PRIu64
                                            " bytes to decompress, which is the limit; "
                                            "raise the limit if you trust the module",
                                            who(index).c_str(), maxBytes)};
    total += entry->bytes;
    steps.push_back({at, *entry});
    at = entry->base;
    if (at == noBase)
      break;
    content = cache.find(at);
  }
  if (allowance != nullptr)
    SXT_MODULE_TRY(allowance->take(total));
  const Crypto *crypto = header.tableBytes != 0 ? trust.crypto : nullptr;
  Decompressor decompressor;
  for (; !steps.empty(); steps.pop_back()) {
    Result<PackContent> next = decode(source, steps.back().entry, content, steps.back().index,
                                      crypto, trust, decompressor);
    SXT_MODULE_TRY(next);
    content = std::move(*next);
    cache.keep(steps.back().index, content);
  }
  return content;
}

Result<uint32_t> packOfImage(const ByteSource &source, const Header &header, uint32_t image) {
  uint32_t low = 0, high = header.packCount; // the last pack whose first image is not past it
  while (high - low > 1) {
    const uint32_t middle = low + (high - low) / 2;
    const Result<PackEntry> entry = packEntry(source, header, middle);
    SXT_MODULE_TRY(entry);
    if (entry->firstImage <= image)
      low = middle;
    else
      high = middle;
  }
  const Result<PackEntry> entry = packEntry(source, header, low);
  SXT_MODULE_TRY(entry);
  if (image < entry->firstImage || image - entry->firstImage >= entry->imageCount)
    return corrupt(message("image %u", image), "no pack holds it");
  return low;
}

/// Returns image number `local` of a pack that is not split, in place.
static Result<std::span<const std::byte>> wholeImage(std::span<const std::byte> content,
                                                     const PackEntry &entry, uint32_t index,
                                                     uint32_t local) {
  const uint64_t head = entry.imageCount * sizeof(uint64_t);
  if (head > content.size())
    return corrupt(who(index), "it has no room for the sizes of its images");
  uint64_t offset = head, wantedOffset = 0, wantedBytes = 0;
  for (uint32_t i = 0; i < entry.imageCount; ++i) {
    uint64_t bytes = 0;
    std::memcpy(&bytes, content.data() + i * sizeof(bytes), sizeof(bytes));
    if (bytes > content.size() - offset)
      return corrupt(who(index), "its images reach past its end");
    if (i == local) {
      wantedOffset = offset;
      wantedBytes = bytes;
    }
    offset += bytes;
  }
  if (offset != content.size())
    return corrupt(who(index), "bytes follow its last image");
  return content.subspan(wantedOffset, wantedBytes);
}

Result<PackImage> imageInPack(std::span<const std::byte> content, const Header &header,
                              const PackEntry &entry, uint32_t index, uint32_t local,
                              uint64_t maxBytes) {
  if ((header.required & requiredSplit) != 0)
    return splitImage(content, local, maxBytes, who(index));
  const Result<std::span<const std::byte>> bytes = wholeImage(content, entry, index, local);
  SXT_MODULE_TRY(bytes);
  return PackImage{{bytes->begin(), bytes->end()}, bytes->size()};
}

Status eachImageInPack(std::span<const std::byte> content, const Header &header,
                       const PackEntry &entry, uint32_t index, uint64_t maxBytes,
                       const EachPackImage &call) {
  if ((header.required & requiredSplit) != 0)
    return eachSplitImage(content, entry.imageCount, maxBytes, who(index), call);
  // If the first image can be read, the sizes are valid.
  SXT_MODULE_TRY(wholeImage(content, entry, index, 0));
  uint64_t offset = entry.imageCount * sizeof(uint64_t);
  for (uint32_t local = 0; local < entry.imageCount; ++local) {
    uint64_t bytes = 0;
    std::memcpy(&bytes, content.data() + local * sizeof(bytes), sizeof(bytes));
    const std::byte *from = content.data() + offset;
    Status status = call(local, bytes, bytes, [&](std::byte *to) {
      std::copy_n(from, bytes, to);
      return Status{};
    });
    SXT_MODULE_TRY(status);
    offset += bytes;
  }
  return {};
}

Status checkImages(std::span<const std::byte> content, const Header &header, const PackEntry &entry,
                   uint32_t index, uint64_t maxBytes) {
  if ((header.required & requiredSplit) != 0)
    return checkSplit(content, entry.imageCount, maxBytes, who(index));
  const Result<std::span<const std::byte>> first = wholeImage(content, entry, index, 0);
  return first ? Status{} : first.error();
}

} // namespace sextant::module
