// Reads all kernels, or all images, of a module. Each pack is decompressed once, and the total is
// limited, so that a small file cannot cause large work.
#include "loader/format/Decode.h"
#include "loader/format/Entries.h"
#include "loader/format/Packs.h"
#include "loader/format/Reader.h"
#include "loader/format/Text.h"
#include "loader/format/Try.h"

#include <algorithm>
#include <cinttypes>
#include <tuple>

namespace sextant::module {

using namespace format;

uint64_t maxKeptRecordBytes(uint64_t fileBytes) {
  constexpr uint64_t least = uint64_t(1) << 22, most = uint64_t(1) << 27;
  return std::clamp(std::min(fileBytes, most) * 64, least, most);
}

Result<uint64_t> Reader::recordBytes(uint32_t index) const {
  const Result<KernelEntry> entry = kernelEntry(*source, header, index);
  SXT_MODULE_TRY(entry);
  return entry->bytes;
}

Status keep(const Reader &reader, uint32_t index, uint64_t &kept) {
  const Result<uint64_t> bytes = reader.recordBytes(index);
  SXT_MODULE_TRY(bytes);
  const uint64_t most = maxKeptRecordBytes(reader.fileBytes());
  if (*bytes > most - kept)
    return {Code::TooLarge, message("the records of the module's kernels have more than %" PRIu64
                                    " bytes together, which "
                                    "is the limit for a file of %" PRIu64 "; split the module",
                                    most, reader.fileBytes())};
  kept += *bytes;
  return {};
}

Allowance Reader::allowanceForAll() const {
  constexpr uint64_t least = uint64_t(1) << 26, perByte = 256;
  const uint64_t bytes =
      limits.maxTotalBytes != 0
          ? limits.maxTotalBytes
          : std::max(least, std::min(fileBytes(), ~uint64_t(0) / perByte) * perByte);
  return {bytes, bytes, fileBytes()};
}

/// Makes room for bases that many packs share, when all of them are read in order.
size_t Reader::walkCacheBytes() const {
  return std::max<uint64_t>(limits.maxImageBytes / 16, uint64_t(1) << 20);
}

Result<std::vector<uint32_t>> Reader::recordOrder() const {
  struct Place {
    uint32_t pack, index;
    uint64_t offset, bytes;
  };
  std::vector<Place> places;
  for (uint32_t index = 0; index < header.kernelCount; ++index) {
    const Result<KernelEntry> entry = kernelEntry(*source, header, index);
    SXT_MODULE_TRY(entry);
    places.push_back({entry->pack, index, entry->offset, entry->bytes});
  }
  std::sort(places.begin(), places.end(), [](const Place &a, const Place &b) {
    return std::tie(a.pack, a.offset, a.index) < std::tie(b.pack, b.offset, b.index);
  });
  std::vector<uint32_t> order;
  for (size_t i = 0; i < places.size(); ++i) {
    const bool isFirst = i == 0 || places[i - 1].pack != places[i].pack;
    if (!isFirst && places[i].offset - places[i - 1].offset < places[i - 1].bytes)
      return corrupt(kernelWho(places[i].index),
                     message("its record lies over that of kernel %u", places[i - 1].index));
    order.push_back(places[i].index);
  }
  return order;
}

Result<std::vector<Kernel>> Reader::kernels() const {
  const Result<std::vector<uint32_t>> order = recordOrder();
  SXT_MODULE_TRY(order);
  std::vector<Kernel> kernels(header.kernelCount);
  PackCache packs(walkCacheBytes());
  Allowance allowance = allowanceForAll();
  uint64_t kept = 0;
  for (const uint32_t index : *order) {
    SXT_MODULE_TRY(keep(*this, index, kept));
    Result<Kernel> kernel = kernelFrom(index, hasPacks(header) ? &packs : nullptr, &allowance);
    SXT_MODULE_TRY(kernel);
    kernels[index] = std::move(*kernel);
  }
  return kernels;
}

// NOLINTBEGIN(readability-function-cognitive-complexity): the returns on errors count
Status
Reader::forEachImage(const std::function<Status(uint32_t index, const EachImage &)> &call) const {
  Allowance allowance = allowanceForAll();
  if (!hasPacks(header)) {
    for (uint32_t index = 0; index < header.imageCount; ++index) {
      const Result<ImageInfo> info = imageInfo(index);
      SXT_MODULE_TRY(info);
      const EachImage image{info->bytes, info->storedBytes,
                            [&]() -> Result<std::vector<std::byte>> {
                              SXT_MODULE_TRY(allowance.take(info->bytes));
                              return this->image(index);
                            }};
      SXT_MODULE_TRY(call(index, image));
    }
    return {};
  }
  PackCache packs(walkCacheBytes());
  uint32_t images = 0;
  for (uint32_t index = 0; index < header.packCount; ++index) {
    const Result<PackEntry> entry = packEntry(*source, header, index);
    SXT_MODULE_TRY(entry);
    if (entry->imageCount == 0)
      continue;
    if (entry->firstImage != images || entry->imageCount > header.imageCount - images)
      return corrupt(message("pack %u", index),
                     "its images are not numbered on from those before it");
    images += entry->imageCount;
    const Result<PackContent> content =
        packContent(*source, header, index, limits.maxImageBytes, packs, trust, &allowance);
    SXT_MODULE_TRY(content);
    const std::span<const std::byte> all = (*content)->bytes();
    Status status =
        eachImageInPack(all, header, *entry, index, limits.maxImageBytes,
                        [&](uint32_t local, uint64_t bytes, uint64_t ownBytes,
                            const std::function<Status(std::byte *)> &write) {
                          const double share = double(ownBytes) / double(all.size());
                          const EachImage image{bytes, uint64_t(share * double(entry->storedBytes)),
                                                [&]() -> Result<std::vector<std::byte>> {
                                                  SXT_MODULE_TRY(allowance.take(bytes));
                                                  std::vector<std::byte> out(bytes);
                                                  SXT_MODULE_TRY(write(out.data()));
                                                  return out;
                                                }};
                          return call(entry->firstImage + local, image);
                        });
    SXT_MODULE_TRY(status);
  }
  if (images != header.imageCount)
    return corrupt("the header",
                   message("its packs hold %u of %u images", images, header.imageCount));
  return {};
}
// NOLINTEND(readability-function-cognitive-complexity)

} // namespace sextant::module
