// Reads a module: in place from memory, part by part from a file.
//
// Opening checks only the header, so its cost does not depend on the number of kernels, variants or
// images. Each record is checked, bounds and hash, when it is first asked for, and each pack is
// checked after it is decompressed. So a damaged module yields an error at the latest where the
// damage would matter.
//
// With keys, opening also reads the tables. It checks that one of the keys signed them, and that
// the bytes between the parts are zero. A pack is only decompressed if its frame is the one that
// was signed.
//
// Any number of threads may use a Reader at once. It keeps about a mebibyte of recently
// decompressed content, and the info record. The reader itself throws nothing, but running out of
// memory does.
#pragma once

#include "loader/format/Format.h"
#include "loader/format/Module.h"
#include "loader/format/Result.h"
#include "loader/format/Trust.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

namespace sextant::module {

/// Limits on what the reader allocates.
struct ReaderLimits {
  /// The most bytes decompressed for one image or attachment, and read at once from a file.
  uint64_t maxImageBytes = uint64_t(1) << 30;
  /// The most bytes decompressed by one call that reads all kernels or all images. 0: 256 times the
  /// file, and at least 64 MiB.
  uint64_t maxTotalBytes = 0;
  /// The largest kernel record or info record. A record decodes to up to 32 times its size.
  uint64_t maxRecordBytes = uint64_t(1) << 24;
};
/// The most bytes of records that one module keeps decoded, all kernels together: 64 times the
/// file, at least 4 and at most 128 MiB.
uint64_t maxKeptRecordBytes(uint64_t fileBytes);

struct ImageInfo {
  uint64_t bytes = 0;             ///< decompressed
  uint64_t storedBytes = 0;       ///< in the file; of a pack, the image's share
  std::array<uint8_t, 16> hash{}; ///< XXH3-128 of the bytes, canonical order
};

/// One image, while all of them are read.
struct EachImage {
  uint64_t bytes = 0;       ///< decompressed
  uint64_t storedBytes = 0; ///< in the file; of a pack, the image's share
  /// Returns the image's bytes, checked as the pack's are.
  std::function<Result<std::vector<std::byte>>()> read;
};

class PackCache;
class ByteSource;
struct Allowance;
struct KeptInfo;

class Reader {
public:
  /// Opens a module in memory. The bytes are borrowed: they must stay unchanged as long as the
  /// Reader lives.
  static Result<Reader> fromMemory(std::span<const std::byte> bytes, ReaderLimits limits = {},
                                   Trust trust = {});
  /// Opens a file and keeps it open as long as the Reader or a copy lives. A rename over the file,
  /// as the packager does it, changes nothing for this Reader. If the file is truncated or
  /// overwritten meanwhile, later reads are errors, Truncated or Corrupt.
  static Result<Reader> fromFile(const std::string &path, ReaderLimits limits = {},
                                 Trust trust = {});

  uint64_t fileBytes() const;
  unsigned versionMajor() const;
  unsigned versionMinor() const;

  /// Returns the module's facts: everything but kernels and images.
  Result<ModuleInfo> info() const;

  uint32_t kernelCount() const;
  /// Returns the number of the kernel instance of that name. NotFound: no such kernel.
  Result<uint32_t> findKernel(std::string_view instance) const;
  /// Instance name of kernel `index`.
  Result<std::string> kernelInstance(uint32_t index) const;
  /// Returns kernel `index`, checked and decoded. The order of the numbers means nothing.
  Result<Kernel> kernel(uint32_t index) const;
  /// The size of kernel `index`'s record, for callers that keep many kernels.
  Result<uint64_t> recordBytes(uint32_t index) const;
  /// Returns all kernels, by number. Each pack of records is decompressed once, whereas asking for
  /// kernels one by one may decompress a pack for each. TooLarge: past ReaderLimits::maxTotalBytes
  /// or maxKeptRecordBytes.
  Result<std::vector<Kernel>> kernels() const;

  uint32_t imageCount() const;
  /// Since 1.1 this decompresses the image's pack.
  Result<ImageInfo> imageInfo(uint32_t index) const;
  /// Returns the bytes of image `index`, decompressed and checked.
  Result<std::vector<std::byte>> image(uint32_t index) const;

  /// Calls back for each image, by number, until a call fails, and returns that result. Takes
  /// linear time in the packs and the images that are read. Asking for images one by one instead
  /// counts each from the first of its pack. TooLarge: past ReaderLimits::maxTotalBytes.
  Status forEachImage(const std::function<Status(uint32_t index, const EachImage &)> &call) const;

  /// Returns the bytes of the attachment of that name, decompressed and checked. NotFound: the
  /// module has none of that name.
  Result<std::vector<std::byte>> attachment(std::string_view name) const;
  /// Returns the bytes of all attachments, in the order of ModuleInfo::attachments. TooLarge: past
  /// ReaderLimits::maxTotalBytes.
  Result<std::vector<std::vector<std::byte>>> attachments() const;

  /// Checks every record, every image and attachment, that the parts fit each other, and that no
  /// byte is left over. With Trust::crypto it checks the digests too.
  Status verify() const;

  /// The key that the module claims to be signed with; absent if it is unsigned. Only keys that
  /// were given at opening make that more than a claim.
  std::optional<PublicKey> signer() const;
  /// True if the file has SHA-256 digests: since 1.3.
  bool hasDigests() const;

private:
  Reader() = default;
  static Result<Reader> open(std::shared_ptr<ByteSource> source, ReaderLimits limits, Trust trust);
  std::shared_ptr<const ByteSource> source;
  Result<ModuleInfo> readInfo() const;
  Result<std::vector<std::byte>> attachmentBytes(const Attachment &attachment,
                                                 Allowance *allowance) const;
  Result<std::shared_ptr<const ModuleInfo>> sharedInfo() const;
  Result<Kernel> kernelFrom(uint32_t index, PackCache *packs, Allowance *allowance) const;
  /// The numbers of kernels in the order of their records. Fails if records overlap.
  Result<std::vector<uint32_t>> recordOrder() const;
  /// The limit and the cache for calls that read all kernels or images.
  Allowance allowanceForAll() const;
  size_t walkCacheBytes() const;
  std::shared_ptr<PackCache> cache; ///< copies of a reader share it
  std::shared_ptr<KeptInfo> facts;  ///< likewise
  format::Header header{};          ///< as it was at opening
  ReaderLimits limits;
  Trust trust;
};

/// Adds kernel `index` to the records that the caller keeps decoded; `kept` is their size so far.
/// TooLarge: past maxKeptRecordBytes.
Status keep(const Reader &reader, uint32_t index, uint64_t &kept);

} // namespace sextant::module
