// Reads a module: in place from memory, part by part from a file.
//
// Opening checks the header alone: the work does not depend on how many kernels,
// variants or images there are. Each record is checked, bounds and hash, when it
// is first asked for; each pack after it is decompressed. So a damaged module
// yields an error at the latest where the damage would have mattered.
//
// With keys, opening also reads the tables and checks that one of the keys signed them, and that
// what lies between the parts is zero; no pack is decompressed unless its frame is the one that
// was signed.
//
// Any number of threads may use a Reader at once. It keeps about a mebibyte of what it
// decompressed last, and the info record. Nothing here throws of its own accord; only running out
// of memory does.
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

/// What the reader refuses to allocate.
struct ReaderLimits {
  /// Decompressed for one image, and read at once from a file.
  uint64_t maxImageBytes = uint64_t(1) << 30;
  /// Decompressed by one call that reads all kernels or all images, and these images. 0: 256
  /// times the file, and at least 64 MiB.
  uint64_t maxTotalBytes = 0;
  /// Of a kernel's record, or of the info record, which decode to up to 32 times that.
  uint64_t maxRecordBytes = uint64_t(1) << 24;
};
/// Of the kernels of one module that are kept decoded, their records together: 64 times the file,
/// at least 4 and at most 128 MiB.
uint64_t maxKeptRecordBytes(uint64_t fileBytes);

struct ImageInfo {
  uint64_t bytes = 0;             ///< decompressed
  uint64_t storedBytes = 0;       ///< in the file; of a pack, the image's share
  std::array<uint8_t, 16> hash{}; ///< XXH3-128 of the bytes, canonical order
};

/// One of all images, while they are read.
struct EachImage {
  uint64_t bytes = 0;       ///< decompressed
  uint64_t storedBytes = 0; ///< in the file; of a pack, the image's share
  /// The bytes, checked as the pack's are.
  std::function<Result<std::vector<std::byte>>()> read;
};

class PackCache;
class ByteSource;
struct Allowance;
struct KeptInfo;

class Reader {
public:
  /// Opens a module that lies in memory. The bytes are borrowed: they must stay,
  /// unchanged, as long as the Reader lives.
  static Result<Reader> fromMemory(std::span<const std::byte> bytes, ReaderLimits limits = {},
                                   Trust trust = {});
  /// Opens a file and keeps it open as long as the Reader or a copy lives. Replacing it by a
  /// rename, as the packager does, changes nothing for this Reader. What is read of a file
  /// that was cut short or written over meanwhile is an error, Truncated or Corrupt.
  static Result<Reader> fromFile(const std::string &path, ReaderLimits limits = {},
                                 Trust trust = {});

  uint64_t fileBytes() const;
  unsigned versionMajor() const;
  unsigned versionMinor() const;

  /// Everything but kernels and images.
  Result<ModuleInfo> info() const;

  uint32_t kernelCount() const;
  /// The number of the kernel instance of that name. NotFound: no such kernel.
  Result<uint32_t> findKernel(std::string_view instance) const;
  /// Instance name of kernel `index`.
  Result<std::string> kernelInstance(uint32_t index) const;
  /// Kernel `index`, checked and decoded. Kernels are numbered in no order that
  /// means anything.
  Result<Kernel> kernel(uint32_t index) const;
  /// Size of kernel `index`'s record, for who keeps many kernels.
  Result<uint64_t> recordBytes(uint32_t index) const;
  /// All kernels, by number. Each pack of records is decompressed once: asking for one kernel after
  /// the other may take a pack for each. TooLarge: beyond ReaderLimits::maxTotalBytes or
  /// maxKeptRecordBytes.
  Result<std::vector<Kernel>> kernels() const;

  uint32_t imageCount() const;
  /// Since 1.1 this decompresses the image's pack.
  Result<ImageInfo> imageInfo(uint32_t index) const;
  /// The bytes of image `index`, decompressed and checked.
  Result<std::vector<std::byte>> image(uint32_t index) const;

  /// Calls back for each image, by number, until one call fails; that is the result then. Takes
  /// time linear in the packs and in the images that are read, where asking for one image after the
  /// other counts them off from the first of their pack each time. TooLarge: beyond
  /// ReaderLimits::maxTotalBytes.
  Status forEachImage(const std::function<Status(uint32_t index, const EachImage &)> &call) const;

  /// Checks every record, every image, and that the parts fit each other and leave no byte
  /// out; with Trust::crypto the digests too.
  Status verify() const;

  /// The key that the module says it was signed with; none: unsigned. Only keys given at
  /// opening make that more than a claim.
  std::optional<PublicKey> signer() const;
  /// Whether the file has SHA-256 digests: since 1.3.
  bool hasDigests() const;

private:
  Reader() = default;
  static Result<Reader> open(std::shared_ptr<ByteSource> source, ReaderLimits limits, Trust trust);
  std::shared_ptr<const ByteSource> source;
  Result<ModuleInfo> readInfo() const;
  Result<std::shared_ptr<const ModuleInfo>> sharedInfo() const;
  Result<Kernel> kernelFrom(uint32_t index, PackCache *packs, Allowance *allowance) const;
  /// Numbers of kernels in the order in which their records lie, none over another.
  Result<std::vector<uint32_t>> recordOrder() const;
  /// For calls that read all kernels or images: what they may decode, and keep of packs.
  Allowance allowanceForAll() const;
  size_t walkCacheBytes() const;
  std::shared_ptr<PackCache> cache; ///< copies of a reader share it
  std::shared_ptr<KeptInfo> facts;  ///< likewise
  format::Header header{};          ///< as it was at opening
  ReaderLimits limits;
  Trust trust;
};

/// Adds kernel `index` to the records that the caller keeps decoded, `kept` bytes so far.
/// TooLarge: beyond maxKeptRecordBytes.
Status keep(const Reader &reader, uint32_t index, uint64_t &kept);

} // namespace sextant::module
