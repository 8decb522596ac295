// Opening, finding and checking. Reader.h says what is checked when.
#include "loader/format/Reader.h"
#include "loader/format/Architectures.h"
#include "loader/format/ByteSource.h"
#include "loader/format/Entries.h"
#include "loader/format/Format.h"
#include "loader/format/Packs.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>
#include <mutex>

namespace sextant::module {

using namespace format;

namespace {

/// Returns true if a table of `count` entries lies in the module after the header.
bool tableInside(const ByteSource &source, const Header &header, uint64_t offset, uint64_t count,
                 uint64_t stride) {
  return offset >= header.headerBytes && offset <= source.size() &&
         count <= (source.size() - offset) / stride;
}

Status truncated(uint64_t want, uint64_t have) {
  return {Code::Truncated, message("truncated module: the header says %" PRIu64
                                   " bytes, there are %" PRIu64 "; copy it again",
                                   want, have)};
}

Status checkMagic(std::span<const std::byte> bytes) {
  if (bytes.size() < sizeof(magic)) {
    if (bytes.empty() || std::memcmp(bytes.data(), magic, bytes.size()) == 0)
      return {Code::Truncated,
              message("truncated module: %zu bytes are less than a header; copy it again",
                      bytes.size())};
  } else if (std::memcmp(bytes.data(), magic, sizeof(magic)) == 0) {
    return {};
  } else if (std::memcmp(bytes.data(), magic, 4) == 0) {
    return {Code::Corrupt, "corrupt module: it was copied as text, which changed its line ends; "
                           "copy it again, as binary"};
  }
  return {Code::NotAModule, "not a Sextant module: the first bytes are others; pass a file that "
                            "`sextant compile` wrote"};
}

std::string version(unsigned major, unsigned minor) { return message("%u.%u", major, minor); }

/// Returns true if there is a signature, and digests of everything that it covers.
bool isSigned(const Header &header) {
  return header.tableBytes != 0 && hasPacks(header) && header.packEntryBytes >= sizeof(PackEntry) &&
         std::any_of(std::begin(header.signature), std::end(header.signature),
                     [](uint8_t byte) { return byte != 0; });
}

/// Returns true if the header, the tables and the info record lie in the first Header::tableBytes
/// bytes.
bool tablesEndAt(const Header &header, uint64_t fileBytes) {
  const uint64_t end = header.tableBytes;
  auto fits = [&](uint64_t offset, uint64_t bytes) {
    return offset <= end && bytes <= end - offset;
  };
  return end <= fileBytes && fits(0, header.headerBytes) &&
         fits(header.kernelEntries, uint64_t(header.kernelCount) * header.kernelEntryBytes) &&
         fits(header.packEntries, uint64_t(header.packCount) * header.packEntryBytes) &&
         fits(header.infoOffset, header.infoBytes);
}

/// Makes all checks of opening. It reads only the header.
Result<Header> checkHeader(const ByteSource &source) {
  // The header is read only once, so that the checked bytes are the used ones.
  const Result<Part> part = source.read(0, std::min<uint64_t>(source.size(), maxFixedBytes));
  SXT_MODULE_TRY(part);
  SXT_MODULE_TRY(checkMagic(part->bytes));
  if (source.size() < headerBytes10)
    return Status{Code::Truncated, message("truncated module: %" PRIu64
                                           " bytes are less than a header; copy it again",
                                           source.size())};
  auto header = loadHashed<Header>(part->bytes.data(), headerBytes10);
  if (header.major != versionMajor)
    return Status{Code::Unsupported,
                  message("the module has format version %s, this loader reads %u.x; use a loader "
                          "of the compiler's version, or compile again",
                          version(header.major, header.minor).c_str(), versionMajor)};
  if (header.headerBytes < headerBytes10 || header.headerBytes > maxFixedBytes ||
      header.headerBytes % 8 != 0)
    return corrupt("the header", message("it cannot have %u bytes", header.headerBytes));
  if (header.headerBytes > source.size())
    return truncated(header.headerBytes, source.size());
  header = loadHashed<Header>(part->bytes.data(), header.headerBytes);
  if (hash64(part->bytes.data(), header.headerBytes - sizeof(uint64_t)) != header.hash)
    return corrupt("the header", "its hash does not match");
  if (const uint32_t unknown = header.required & ~knownRequired; unknown != 0)
    return Status{Code::Unsupported, message("the module needs format features (bits %u) that "
                                             "this loader lacks; use a newer loader",
                                             unknown)};
  if (header.fileBytes > source.size())
    return truncated(header.fileBytes, source.size());
  if (header.fileBytes < source.size())
    return corrupt("the file",
                   message("%" PRIu64 " bytes follow its end", source.size() - header.fileBytes));
  const uint32_t imageBytes = hasPacks(header) ? header.packEntryBytes : header.imageEntryBytes;
  if (header.kernelEntryBytes < sizeof(KernelEntry) ||
      imageBytes < (hasPacks(header) ? packEntryBytes11 : sizeof(ImageEntry)))
    return corrupt("the header", "its table entries are too short");
  if (!tableInside(source, header, header.kernelEntries, header.kernelCount,
                   header.kernelEntryBytes))
    return corrupt("the header", "the kernel table reaches past the file's end");
  if (hasPacks(header)) {
    if (!tableInside(source, header, header.packEntries, header.packCount, header.packEntryBytes))
      return corrupt("the header", "the pack table reaches past the file's end");
  } else if (!tableInside(source, header, header.imageEntries, header.imageCount,
                          header.imageEntryBytes)) {
    return corrupt("the header", "the image table reaches past the file's end");
  }
  if (header.kernelEntryBytes > maxFixedBytes || imageBytes > maxFixedBytes)
    return corrupt("the header", "its table entries are too long");
  if (!source.has(header.infoOffset, header.infoBytes))
    return corrupt("the header", "the info record reaches past the file's end");
  if (header.tableBytes != 0 && header.headerBytes < signatureEnd + sizeof(header.hash))
    return corrupt("the header", "it has no room for the digest that it states");
  if (header.tableBytes != 0 && !tablesEndAt(header, source.size()))
    return corrupt("the header", "its tables do not end where it says");
  return header;
}

} // namespace

Result<KernelEntry> kernelEntry(const ByteSource &source, const Header &header, uint32_t index) {
  if (index >= header.kernelCount)
    return Status{Code::NotFound, message("the module has no %s, it has %u",
                                          kernelWho(index).c_str(), header.kernelCount)};
  Result<KernelEntry> entry = readEntry<KernelEntry>(source, header.kernelEntries,
                                                     header.kernelEntryBytes, index, kernelWho);
  if (entry && !hasPacks(header))
    entry->pack = 0; // means nothing there
  return entry;
}

namespace {

Result<ImageEntry> imageEntry(const ByteSource &source, const Header &header, uint32_t index) {
  if (index >= header.imageCount)
    return Status{Code::NotFound, message("the module has no %s, it has %u",
                                          imageWho(index).c_str(), header.imageCount)};
  Result<ImageEntry> entry =
      readEntry<ImageEntry>(source, header.imageEntries, header.imageEntryBytes, index, imageWho);
  SXT_MODULE_TRY(entry);
  if (!source.has(entry->offset, entry->storedBytes))
    return corrupt(imageWho(index), "it reaches past the file's end");
  SXT_MODULE_TRY(checkCodec(entry->codec, entry->imageBytes, entry->storedBytes, imageWho(index),
                            /*isAsItIs=*/true, "it is stored as it is, yet its sizes differ"));
  return entry;
}

/// A kernel's record, with the owner of its bytes.
struct Record {
  uint64_t nameHash = 0;
  PackContent pack; ///< null: they lie in the file
  Part part;
  std::span<const std::byte> bytes;
};

} // namespace

Status checkTables(std::span<const std::byte> tables, const Header &header, const Trust &trust) {
  const Sha256 digest = digestOfTables(tables, header.headerBytes, *trust.crypto);
  if (!std::equal(digest.begin(), digest.end(), header.tableDigest))
    return altered("its table of contents", trust);
  const SignedMessage message = signedMessage(digest);
  if (!trust.keys.empty() &&
      trust.crypto->verify(header.signature, message.data(), message.size(), header.publicKey) != 0)
    return untrusted("its signature does not fit its tables; sign it again");
  return {};
}

namespace {

/// Keeps the tables of a signed module in memory and checks them there.
/// \returns the header that was checked
Result<Header> openSigned(ByteSource &source, const Header &seen, const Trust &trust) {
  if (!isSigned(seen))
    return untrusted("it is not signed; sign it with `sextant sign`");
  Result<Part> tables = source.read(0, seen.tableBytes);
  SXT_MODULE_TRY(tables);
  source.pin(std::move(*tables));
  Result<Header> header = checkHeader(source);
  if (!header)
    return header;
  PublicKey signer{};
  std::copy_n(header->publicKey, signer.size(), signer.begin());
  // The file may have changed since the header was read.
  if (!isSigned(*header) || header->tableBytes != source.pinnedBytes().size())
    return altered("its header", trust);
  if (std::find(trust.keys.begin(), trust.keys.end(), signer) == trust.keys.end())
    return untrusted("it is signed with another key, " + nameOf(signer) +
                     "…; sign it with one that is trusted here");
  SXT_MODULE_TRY(checkTables(source.pinnedBytes(), *header, trust));
  // The signature does not cover these bytes. They have no meaning and must be zero.
  if (Status status = checkGaps(source, *header); !status.ok())
    return status.code == Code::Corrupt ? altered("what lies between its parts", trust) : status;
  return header;
}

} // namespace

Result<Reader> Reader::open(std::shared_ptr<ByteSource> source, ReaderLimits limits, Trust trust) {
  Result<Header> header = checkHeader(*source);
  if (header && !trust.keys.empty())
    header = openSigned(*source, *header, trust);
  SXT_MODULE_TRY(header);
  Reader reader;
  reader.source = std::move(source);
  reader.header = *header;
  reader.limits = limits;
  reader.trust = std::move(trust);
  if (hasPacks(*header))
    reader.cache = std::make_shared<PackCache>();
  reader.facts = std::make_shared<KeptInfo>();
  return reader;
}

Result<Reader> Reader::fromMemory(std::span<const std::byte> bytes, ReaderLimits limits,
                                  Trust trust) {
  return open(std::make_shared<ByteSource>(bytes), limits, std::move(trust));
}

Result<Reader> Reader::fromFile(const std::string &path, ReaderLimits limits, Trust trust) {
  Result<std::shared_ptr<ByteSource>> source = ByteSource::ofFile(path, limits.maxImageBytes);
  SXT_MODULE_TRY(source);
  Result<Reader> reader = open(std::move(*source), limits, std::move(trust));
  if (!reader)
    return Status{reader.error().code, "'" + path + "': " + reader.error().message};
  return reader;
}

std::optional<PublicKey> Reader::signer() const {
  if (!isSigned(header))
    return std::nullopt;
  PublicKey key{};
  std::copy_n(header.publicKey, key.size(), key.begin());
  return key;
}

bool Reader::hasDigests() const { return header.tableBytes != 0; }
uint64_t Reader::fileBytes() const { return source->size(); }
unsigned Reader::versionMajor() const { return header.major; }
unsigned Reader::versionMinor() const { return header.minor; }
uint32_t Reader::kernelCount() const { return header.kernelCount; }
uint32_t Reader::imageCount() const { return header.imageCount; }

/// Records decode to a multiple of their size, so they have a limit of their own.
static Status recordTooLarge(const std::string &who, uint64_t bytes, uint64_t limit) {
  return {Code::TooLarge,
          message("%s has a record of %" PRIu64 " bytes, the limit is %" PRIu64 "; raise the "
                  "limit if you trust the module",
                  who.c_str(), bytes, limit)};
}

/// The module's facts. Every kernel with fields is checked against them.
struct KeptInfo {
  std::mutex mutex;
  std::shared_ptr<const ModuleInfo> info; ///< null: not asked for yet, or damaged
};

Result<std::shared_ptr<const ModuleInfo>> Reader::sharedInfo() const {
  std::lock_guard lock(facts->mutex);
  if (!facts->info) {
    Result<ModuleInfo> info = readInfo();
    SXT_MODULE_TRY(info);
    facts->info = std::make_shared<const ModuleInfo>(std::move(*info));
  }
  return facts->info;
}

Result<ModuleInfo> Reader::info() const {
  const Result<std::shared_ptr<const ModuleInfo>> info = sharedInfo();
  SXT_MODULE_TRY(info);
  return ModuleInfo(**info);
}

Result<ModuleInfo> Reader::readInfo() const {
  if (header.infoBytes > limits.maxRecordBytes)
    return recordTooLarge("the module", header.infoBytes, limits.maxRecordBytes);
  const Result<Part> record = source->read(header.infoOffset, header.infoBytes);
  SXT_MODULE_TRY(record);
  if (hash64(record->bytes.data(), record->bytes.size()) != header.infoHash)
    return corrupt("the info record", "its hash does not match");
  return decodeInfo(record->bytes, {header.sourceCount, header.globalCount, header.imageCount,
                                    hasPacks(header) ? header.packCount : 0});
}

Status checkAttachment(const ByteSource &source, const Header &header,
                       const Attachment &attachment) {
  const Result<PackEntry> entry = packEntry(source, header, attachment.pack);
  SXT_MODULE_TRY(entry);
  if (entry->imageCount != 0 || entry->base != noBase || entry->bytes != attachment.bytes)
    return corrupt(joined({"attachment '", attachment.name, "'"}),
                   "its pack is another's, or has another size");
  return {};
}

Result<std::vector<std::byte>> Reader::attachmentBytes(const Attachment &attachment,
                                                       Allowance *allowance) const {
  SXT_MODULE_TRY(checkAttachment(*source, header, attachment));
  PackCache none(0); // applications keep what they ask for
  const Result<PackContent> content =
      packContent(*source, header, attachment.pack,
                  std::min(limits.maxImageBytes, maxAttachmentBytes), none, trust, allowance);
  SXT_MODULE_TRY(content);
  const std::span<const std::byte> bytes = (*content)->bytes();
  return std::vector<std::byte>(bytes.begin(), bytes.end());
}

Result<std::vector<std::byte>> Reader::attachment(std::string_view name) const {
  const Result<std::shared_ptr<const ModuleInfo>> info = sharedInfo();
  SXT_MODULE_TRY(info);
  std::string names;
  for (const Attachment &one : (*info)->attachments) {
    if (one.name == name)
      return attachmentBytes(one, nullptr);
    names += (names.empty() ? "" : ", ") + one.name;
  }
  return Status{Code::NotFound, joined({"the module has no attachment '", printable(name), "'",
                                        names.empty() ? "; it has none" : "; it has ", names})};
}

Result<std::vector<std::vector<std::byte>>> Reader::attachments() const {
  const Result<std::shared_ptr<const ModuleInfo>> info = sharedInfo();
  SXT_MODULE_TRY(info);
  Allowance allowance = allowanceForAll();
  std::vector<std::vector<std::byte>> all;
  for (const Attachment &one : (*info)->attachments) {
    Result<std::vector<std::byte>> bytes = attachmentBytes(one, &allowance);
    SXT_MODULE_TRY(bytes);
    all.push_back(std::move(*bytes));
  }
  return all;
}

Result<uint32_t> Reader::findKernel(std::string_view instance) const {
  const uint64_t wanted = hash64(instance.data(), instance.size());
  uint32_t low = 0, high = header.kernelCount;
  while (low < high) { // the first entry that is not less
    const uint32_t middle = low + (high - low) / 2;
    const Result<KernelEntry> entry = kernelEntry(*source, header, middle);
    SXT_MODULE_TRY(entry);
    if (entry->nameHash < wanted)
      low = middle + 1;
    else
      high = middle;
  }
  for (uint32_t index = low; index < header.kernelCount; ++index) {
    const Result<KernelEntry> entry = kernelEntry(*source, header, index);
    SXT_MODULE_TRY(entry);
    if (entry->nameHash != wanted)
      break;
    if (index - low == maxSameHash) // each may cost a pack
      return corrupt(kernelWho(index), message("more than %u names have its hash", maxSameHash));
    const Result<std::string> name = kernelInstance(index);
    SXT_MODULE_TRY(name);
    if (*name == instance)
      return index;
  }
  return Status{Code::NotFound, "the module has no kernel '" + std::string(instance) + "'"};
}

namespace {

/// \param cache     null if the records lie in the file
/// \param allowance null if only the limits apply
Result<Record> kernelRecord(const ByteSource &source, const Header &header, uint32_t index,
                            const ReaderLimits &limits, const Trust &trust, PackCache *cache,
                            Allowance *allowance = nullptr) {
  const Result<KernelEntry> entry = kernelEntry(source, header, index);
  SXT_MODULE_TRY(entry);
  if (entry->bytes > limits.maxRecordBytes)
    return recordTooLarge(kernelWho(index), entry->bytes, limits.maxRecordBytes);
  Record record;
  record.nameHash = entry->nameHash;
  if (cache != nullptr) {
    Result<PackContent> pack = packContent(source, header, entry->pack,
                                           std::min(limits.maxImageBytes, limits.maxRecordBytes),
                                           *cache, trust, allowance);
    SXT_MODULE_TRY(pack);
    record.pack = std::move(*pack);
    const std::span<const std::byte> all = record.pack->bytes();
    if (entry->offset > all.size() || entry->bytes > all.size() - entry->offset)
      return corrupt(kernelWho(index), "its record reaches past the pack's end");
    record.bytes = all.subspan(entry->offset, entry->bytes);
  } else {
    if (!source.has(entry->offset, entry->bytes))
      return corrupt(kernelWho(index), "its record reaches past the file's end");
    Result<Part> part = source.read(entry->offset, entry->bytes);
    SXT_MODULE_TRY(part);
    record.part = std::move(*part);
    record.bytes = record.part.bytes;
  }
  if (hash64(record.bytes.data(), record.bytes.size()) != entry->recordHash)
    return corrupt(kernelWho(index), "the hash of its record does not match");
  return record;
}

/// Checks that the entry and the record have the same name. Otherwise one record could serve any
/// number of entries.
Status checkName(const Record &record, std::string_view name, const std::string &who) {
  if (hash64(name.data(), name.size()) != record.nameHash)
    return corrupt(who, "its entry is for another name");
  return {};
}

} // namespace

Result<std::string> Reader::kernelInstance(uint32_t index) const {
  const auto record = kernelRecord(*source, header, index, limits, trust, cache.get());
  SXT_MODULE_TRY(record);
  const Result<std::string_view> name = decodeInstance(record->bytes, kernelWho(index));
  SXT_MODULE_TRY(name);
  SXT_MODULE_TRY(checkName(*record, *name, kernelWho(index)));
  return std::string(*name);
}

Result<Kernel> Reader::kernel(uint32_t index) const {
  return kernelFrom(index, cache.get(), nullptr);
}

Result<Kernel> Reader::kernelFrom(uint32_t index, PackCache *packs, Allowance *allowance) const {
  const auto record = kernelRecord(*source, header, index, limits, trust, packs, allowance);
  SXT_MODULE_TRY(record);
  const Counts counts{header.sourceCount, header.globalCount, header.imageCount};
  std::string who = kernelWho(index);
  if (const Result<std::string_view> name = decodeInstance(record->bytes, who); name) {
    who = "kernel '" + std::string(*name) + "'";
    SXT_MODULE_TRY(checkName(*record, *name, who));
  }
  Result<Kernel> kernel = decodeKernel(record->bytes, counts, who);
  if (!kernel)
    return kernel;
  if (header.minor < firstMinorWithWaits) // nothing is told, so blocks of any task may wait
    for (Plan &plan : kernel->plans)
      for (Task &task : plan.tasks)
        task.waits = !task.serial;
  if (header.globalCount == 0)
    return kernel;
  // Fields repeat the globals' facts. A kernel that differs would index past a buffer that was made
  // for the global.
  const Result<std::shared_ptr<const ModuleInfo>> all = sharedInfo();
  SXT_MODULE_TRY(all);
  if (const std::string problem = checkFields(*kernel, **all); !problem.empty())
    return corrupt(who, problem);
  return kernel;
}

namespace {

/// An image of a pack, and its share of the pack's stored bytes.
struct PackedImage {
  std::vector<std::byte> bytes;
  uint64_t storedBytes;
};

Result<PackedImage> packedImage(const ByteSource &source, const Header &header, uint32_t index,
                                const ReaderLimits &limits, const Trust &trust, PackCache &cache) {
  if (index >= header.imageCount)
    return Status{Code::NotFound, message("the module has no %s, it has %u",
                                          imageWho(index).c_str(), header.imageCount)};
  const Result<uint32_t> pack = packOfImage(source, header, index);
  SXT_MODULE_TRY(pack);
  const Result<PackEntry> entry = packEntry(source, header, *pack);
  SXT_MODULE_TRY(entry);
  Result<PackContent> content =
      packContent(source, header, *pack, limits.maxImageBytes, cache, trust);
  SXT_MODULE_TRY(content);
  const std::span<const std::byte> all = (*content)->bytes();
  Result<PackImage> image =
      imageInPack(all, header, *entry, *pack, index - entry->firstImage, limits.maxImageBytes);
  SXT_MODULE_TRY(image);
  const double share = double(image->ownBytes) / double(all.size());
  return PackedImage{std::move(image->bytes), uint64_t(share * double(entry->storedBytes))};
}

} // namespace

Result<ImageInfo> Reader::imageInfo(uint32_t index) const {
  if (hasPacks(header)) {
    const Result<PackedImage> image = packedImage(*source, header, index, limits, trust, *cache);
    SXT_MODULE_TRY(image);
    return ImageInfo{image->bytes.size(), image->storedBytes, hash128(image->bytes)};
  }
  const Result<ImageEntry> entry = imageEntry(*source, header, index);
  SXT_MODULE_TRY(entry);
  ImageInfo info{entry->imageBytes, entry->storedBytes, {}};
  std::memcpy(info.hash.data(), entry->contentHash, info.hash.size());
  return info;
}

Result<std::vector<std::byte>> Reader::image(uint32_t index) const {
  if (hasPacks(header)) {
    Result<PackedImage> image = packedImage(*source, header, index, limits, trust, *cache);
    SXT_MODULE_TRY(image);
    return std::move(image->bytes);
  }
  const Result<ImageEntry> entry = imageEntry(*source, header, index);
  SXT_MODULE_TRY(entry);
  if (entry->imageBytes > limits.maxImageBytes)
    return Status{Code::TooLarge,
                  message("%s has %" PRIu64 " bytes, the limit is %" PRIu64
                          "; raise the limit if you trust the module",
                          imageWho(index).c_str(), entry->imageBytes, limits.maxImageBytes)};
  const Result<Part> part = source->read(entry->offset, entry->storedBytes);
  SXT_MODULE_TRY(part);
  const std::span<const std::byte> stored = part->bytes;
  std::vector<std::byte> out(entry->imageBytes);
  if (static_cast<Codec>(entry->codec) == Codec::Stored)
    std::copy(stored.begin(), stored.end(), out.begin());
  else
    SXT_MODULE_TRY(Decompressor().run(stored, {}, out, imageWho(index)));
  const std::array<uint8_t, 16> hash = hash128(out);
  if (std::memcmp(hash.data(), entry->contentHash, hash.size()) != 0)
    return corrupt(imageWho(index), "the hash of its content does not match");
  return out;
}

} // namespace sextant::module
