// Reader::verify, which checks all of a module, and the checks of a signed one at opening.
#include "loader/format/Decode.h"
#include "loader/format/Entries.h"
#include "loader/format/Packs.h"
#include "loader/format/Reader.h"
#include "loader/format/Text.h"
#include "loader/format/Try.h"

#include <algorithm>
#include <cinttypes>
#include <map>

namespace sextant::module {

using namespace format;

namespace {

/// Checks that packs follow each other as Format.h says, and hold what their entries state.
Status verifyPacks(const ByteSource &source, const Header &header, const ReaderLimits &limits,
                   const Trust &trust, PackCache &cache, Allowance &allowance) {
  std::vector<unsigned> depths;
  uint32_t images = 0;
  for (uint32_t index = 0; index < header.packCount; ++index) {
    const std::string who = message("pack %u", index);
    const Result<PackEntry> entry = packEntry(source, header, index);
    SXT_MODULE_TRY(entry);
    depths.push_back(entry->base == noBase ? 0 : depths[entry->base] + 1);
    if (depths.back() > maxPackDepth)
      return corrupt(who, message("more than %u bases lie below it", maxPackDepth));
    if (entry->firstImage != images || entry->imageCount > header.imageCount - images)
      return corrupt(who, "its images are not numbered on from those before it");
    images += entry->imageCount;
    if (entry->imageCount == 0 && images != 0)
      return corrupt(who, "it has no images, yet follows packs that have");
    const Result<PackContent> content =
        packContent(source, header, index, limits.maxImageBytes, cache, trust, &allowance);
    SXT_MODULE_TRY(content);
    if (entry->imageCount != 0)
      if (Status status =
              checkImages((*content)->bytes(), header, *entry, index, limits.maxImageBytes);
          !status.ok())
        return status;
  }
  if (images != header.imageCount)
    return corrupt("the header",
                   message("its packs hold %u of %u images", images, header.imageCount));
  return {};
}

/// Checks that [from, to) is zero.
Status verifyZero(const ByteSource &source, uint64_t from, uint64_t to) {
  while (from < to) {
    const Result<Part> part = source.read(from, std::min<uint64_t>(to - from, 4096));
    SXT_MODULE_TRY(part);
    for (const std::byte byte : part->bytes) {
      if (byte != std::byte{0})
        return corrupt("the file",
                       message("byte %" PRIu64 " belongs to no part of it, yet is not zero", from));
      ++from;
    }
  }
  return {};
}

/// Checks that the table is sorted as lookups require.
Status verifyOrder(const ByteSource &source, const Header &header) {
  uint64_t lastHash = 0;
  std::pair<uint32_t, uint64_t> lastPlace;
  for (uint32_t index = 0; index < header.kernelCount; ++index) {
    const Result<KernelEntry> entry = kernelEntry(source, header, index);
    SXT_MODULE_TRY(entry);
    if (index != 0 &&
        (entry->nameHash < lastHash ||
         (entry->nameHash == lastHash && std::pair(entry->pack, entry->offset) <= lastPlace)))
      return corrupt(kernelWho(index), "its entry is out of order");
    lastHash = entry->nameHash;
    lastPlace = {entry->pack, entry->offset};
  }
  return {};
}

/// Checks that each name is unique and can be found.
Status verifyNames(const ByteSource &source, const Header &header,
                   const std::vector<std::string> &names) {
  uint64_t lastHash = 0;
  uint32_t first = 0; // the first with this hash
  for (uint32_t index = 0; index < header.kernelCount; ++index) {
    const Result<KernelEntry> entry = kernelEntry(source, header, index);
    SXT_MODULE_TRY(entry);
    if (index == 0 || entry->nameHash != lastHash)
      first = index;
    lastHash = entry->nameHash;
    for (uint32_t other = first; other < index; ++other)
      if (names[other] == names[index])
        return corrupt(message("kernel '%s'", names[index].c_str()), "another has the same name");
    if (index - first == maxSameHash)
      return corrupt(kernelWho(index),
                     message("more than %u names have its hash", unsigned{maxSameHash}));
  }
  return {};
}

} // namespace

Status checkGaps(const ByteSource &source, const Header &header) {
  std::vector<std::pair<uint64_t, uint64_t>> parts{
      {0, header.headerBytes},
      {header.kernelEntries, uint64_t(header.kernelCount) * header.kernelEntryBytes},
      {header.packEntries, uint64_t(header.packCount) * header.packEntryBytes},
      {header.infoOffset, header.infoBytes},
      {source.size(), 0}};
  for (uint32_t index = 0; index < header.packCount; ++index) {
    const Result<PackEntry> entry = packEntry(source, header, index);
    SXT_MODULE_TRY(entry);
    parts.emplace_back(entry->offset, entry->storedBytes);
  }
  std::sort(parts.begin(), parts.end());
  uint64_t end = 0;
  for (const auto &[offset, bytes] : parts) {
    SXT_MODULE_TRY(verifyZero(source, end, offset));
    end = std::max(end, offset + bytes);
  }
  return {};
}

Status Reader::verify() const {
  const Result<ModuleInfo> info = this->info();
  SXT_MODULE_TRY(info);
  for (const Attachment &attachment : info->attachments)
    SXT_MODULE_TRY(checkAttachment(*source, header, attachment));
  Allowance allowance = allowanceForAll();
  PackCache packs(walkCacheBytes());
  if (hasPacks(header))
    SXT_MODULE_TRY(verifyPacks(*source, header, limits, trust, packs, allowance));
  SXT_MODULE_TRY(verifyOrder(*source, header));
  const Result<std::vector<uint32_t>> order = recordOrder();
  SXT_MODULE_TRY(order);
  std::vector<std::string> names(header.kernelCount);
  for (const uint32_t index : *order) {
    Result<Kernel> kernel = kernelFrom(index, hasPacks(header) ? &packs : nullptr, &allowance);
    SXT_MODULE_TRY(kernel);
    names[index] = kernel->instance;
    if (const std::string problem = checkTargets(std::move(*kernel)); !problem.empty())
      return corrupt(message("kernel '%s'", names[index].c_str()), problem);
  }
  SXT_MODULE_TRY(verifyNames(*source, header, names));
  if (header.tableBytes != 0) {
    SXT_MODULE_TRY(checkGaps(*source, header));
    if (trust.crypto != nullptr) {
      const Result<Part> tables = source->read(0, header.tableBytes);
      if (Status status = tables ? checkTables(tables->bytes, header, trust) : tables.error();
          !status.ok())
        return status;
    }
  }
  if (hasPacks(header))
    return {};
  return forEachImage([](uint32_t, const EachImage &image) {
    const auto bytes = image.read();
    return bytes ? Status{} : bytes.error();
  });
}

} // namespace sextant::module
