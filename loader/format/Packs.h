// Packs: compressed runs of kernel records or images, each perhaps against another.
// Used by the reader alone.
#pragma once

#include "loader/format/ByteSource.h"
#include "loader/format/Format.h"
#include "loader/format/Result.h"
#include "loader/format/Split.h"
#include "loader/format/Trust.h"

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

struct ZSTD_DCtx_s;

namespace sextant::module {

/// A pack's content, decompressed and checked. (No vector: that would fill it with
/// zeros first, which takes as long as decompressing it.)
struct PackBytes {
  explicit PackBytes(size_t count) : data(new std::byte[count]), count(count) {}
  std::span<std::byte> bytes() { return {data.get(), count}; }
  std::span<const std::byte> bytes() const { return {data.get(), count}; }

private:
  std::unique_ptr<std::byte[]> data;
  size_t count;
};
using PackContent = std::shared_ptr<const PackBytes>;

/// Contents that were asked for lately: what is launched together mostly lies together.
/// Thread-safe.
class PackCache {
public:
  /// By default room for the deepest chain of packs as the packager makes them.
  explicit PackCache(size_t most = size_t(1) << 20) : most(most) {}
  PackContent find(uint32_t pack);
  /// Makes room by forgetting what was used longest ago.
  void keep(uint32_t pack, const PackContent &content);

private:
  struct Entry {
    uint32_t pack;
    PackContent content;
  };
  std::mutex mutex;
  std::list<Entry> entries; ///< the latest first
  size_t bytes = 0;
  const size_t most; ///< bytes that are kept; the latest entry is in any case
};

/// What may still be decoded where all of a module is.
struct Allowance {
  uint64_t left, whole, fileBytes;

  /// TooLarge: it is used up.
  Status take(uint64_t bytes);
};

/// The entry of a pack, checked but for its frame.
Result<format::PackEntry> packEntry(const ByteSource &source, const format::Header &header,
                                    uint32_t index);

/// The content of a pack.
/// \param maxBytes of the pack and its bases together
/// \param trust    with functions: a frame whose SHA-256 is not the entry's is not decompressed
/// \param allowance for all that is decompressed, where it is not null
Result<PackContent> packContent(const ByteSource &source, const format::Header &header,
                                uint32_t index, uint64_t maxBytes, PackCache &cache,
                                const Trust &trust = {}, Allowance *allowance = nullptr);

/// The number of the pack that holds image `image`.
Result<uint32_t> packOfImage(const ByteSource &source, const format::Header &header,
                             uint32_t image);

/// Image number `local` of a pack of images.
/// \param maxBytes that the image may have
Result<PackImage> imageInPack(std::span<const std::byte> content, const format::Header &header,
                              const format::PackEntry &entry, uint32_t index, uint32_t local,
                              uint64_t maxBytes);

/// Calls back for each image of a pack, in order; by way of `write` it is had, in as many bytes.
using EachPackImage = std::function<Status(uint32_t local, uint64_t bytes, uint64_t ownBytes,
                                           const std::function<void(std::byte *to)> &write)>;
Status eachImageInPack(std::span<const std::byte> content, const format::Header &header,
                       const format::PackEntry &entry, uint32_t index, uint64_t maxBytes,
                       const EachPackImage &call);

/// That the content holds the images that the entry states, and nothing else.
Status checkImages(std::span<const std::byte> content, const format::Header &header,
                   const format::PackEntry &entry, uint32_t index, uint64_t maxBytes);

/// Decompresses frames, one after the other with the same tables. Not thread-safe.
class Decompressor {
public:
  Decompressor();
  ~Decompressor();
  Decompressor(const Decompressor &) = delete;
  Decompressor &operator=(const Decompressor &) = delete;
  /// One frame into `out`, all of which it has to fill. `prefix` may be empty.
  Status run(std::span<const std::byte> frame, std::span<const std::byte> prefix,
             std::span<std::byte> out, const std::string &who);

private:
  ZSTD_DCtx_s *context; ///< null: no memory
};

} // namespace sextant::module
