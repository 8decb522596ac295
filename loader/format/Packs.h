// Packs: compressed runs of kernel records or images, some of them compressed against another pack.
// Only the reader uses this header.
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
#include <unordered_map>
#include <vector>

struct ZSTD_DCtx_s;

namespace sextant::module {

/// A pack's content, decompressed and checked. It is not a vector, because a vector would first
/// fill the memory with zeros, which takes as long as decompressing it.
struct PackBytes {
  explicit PackBytes(size_t count) : data(new std::byte[count]), count(count) {}
  std::span<std::byte> bytes() { return {data.get(), count}; }
  std::span<const std::byte> bytes() const { return {data.get(), count}; }

private:
  std::unique_ptr<std::byte[]> data;
  size_t count;
};
using PackContent = std::shared_ptr<const PackBytes>;

/// Recently used contents: kernels that are launched together mostly lie together. Thread-safe.
class PackCache {
public:
  /// The default size has room for the deepest chain of packs that the packager makes.
  explicit PackCache(size_t most = size_t(1) << 20) : most(most) {}
  PackContent find(uint32_t pack);
  /// Adds a content, and makes room by dropping the least recently used ones.
  void keep(uint32_t pack, const PackContent &content);

private:
  struct Entry {
    uint32_t pack;
    PackContent content;
  };
  std::mutex mutex;
  std::list<Entry> entries;                                        ///< the latest first
  std::unordered_map<uint32_t, std::list<Entry>::iterator> places; ///< place of each pack
  size_t bytes = 0;
  const size_t most; ///< bytes that are kept; the latest entry is in any case
};

/// The number of bytes that calls which read the whole module may still decode.
struct Allowance {
  uint64_t left, whole, fileBytes;

  /// Returns TooLarge if it is used up.
  Status take(uint64_t bytes);
};

/// Reads the entry of a pack. Everything but its frame is checked.
Result<format::PackEntry> packEntry(const ByteSource &source, const format::Header &header,
                                    uint32_t index);

/// Returns the content of a pack.
/// \param maxBytes the limit for the pack and its bases together
/// \param trust    if it has functions, a frame is only decompressed if its SHA-256 is the entry's
/// \param allowance if not null, all decompressed bytes count against it
Result<PackContent> packContent(const ByteSource &source, const format::Header &header,
                                uint32_t index, uint64_t maxBytes, PackCache &cache,
                                const Trust &trust = {}, Allowance *allowance = nullptr);

/// Returns the number of the pack that holds image `image`.
Result<uint32_t> packOfImage(const ByteSource &source, const format::Header &header,
                             uint32_t image);

/// Returns image number `local` of a pack of images.
/// \param maxBytes the largest size that the image may have
Result<PackImage> imageInPack(std::span<const std::byte> content, const format::Header &header,
                              const format::PackEntry &entry, uint32_t index, uint32_t local,
                              uint64_t maxBytes);

/// Calls back for each image of a pack, in order. `write` writes the image to that many bytes.
using EachPackImage = std::function<Status(uint32_t local, uint64_t bytes, uint64_t ownBytes,
                                           const std::function<Status(std::byte *to)> &write)>;
Status eachImageInPack(std::span<const std::byte> content, const format::Header &header,
                       const format::PackEntry &entry, uint32_t index, uint64_t maxBytes,
                       const EachPackImage &call);

/// Checks that the content holds the images that the entry states, and nothing else.
Status checkImages(std::span<const std::byte> content, const format::Header &header,
                   const format::PackEntry &entry, uint32_t index, uint64_t maxBytes);

/// Decompresses frames one after the other, and reuses its tables. Not thread-safe.
class Decompressor {
public:
  Decompressor();
  ~Decompressor();
  Decompressor(const Decompressor &) = delete;
  Decompressor &operator=(const Decompressor &) = delete;
  /// Decompresses one frame into `out`, which it must fill. `prefix` may be empty.
  Status run(std::span<const std::byte> frame, std::span<const std::byte> prefix,
             std::span<std::byte> out, const std::string &who);

private:
  ZSTD_DCtx_s *context; ///< null: no memory
};

} // namespace sextant::module
