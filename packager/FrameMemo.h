// The results of compressing a pack, for later builds of a similar module: the sizes that trials of
// its bases found, and its frame. After the edit of a kernel most packs of a module are as before,
// and compressing is the dearest thing that is left to do for them.
#pragma once

#include "loader/format/Format.h"
#include "loader/format/Trust.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sextant::packager {

/// Keeps entries by key, or forgets them. Implementations are thread-safe, and return what was
/// stored under a key, or nothing.
class FrameStore {
public:
  virtual ~FrameStore() = default;
  virtual std::optional<std::string> find(const std::string &key) = 0;
  virtual void store(const std::string &key, std::string_view bytes) = 0;
};

/// A pack in the form of the file.
struct PackedFrame {
  std::vector<std::byte> bytes;
  module::format::Codec codec = module::format::Codec::Stored;
  uint32_t base = module::format::noBase;
};

/// Packs with less content are compressed about as fast as they are looked up.
inline constexpr size_t leastRemembered = 8 << 10;

/// Bases are named by the hash of their content; no base by zeros. So a pack finds what it knows of
/// those that are as before, although another of its candidates changed.
struct FrameMemo {
  struct Trial {
    module::Sha256 base;
    uint64_t size; ///< compressed
  };
  std::vector<Trial> trials;
  module::Sha256 base{}; ///< whose content is the frame's prefix
  PackedFrame frame;     ///< without its base

  /// Returns the size that the trial with this base gave, or null.
  const uint64_t *sizeWith(const module::Sha256 &candidate) const;
};

/// The key of a pack: a hash of its content, and of how it is compressed. Hexadecimal.
std::string memoKey(const module::Sha256 &content, int level, int trialLevel);

std::string encodeMemo(const FrameMemo &memo);
/// Nothing, if the bytes are not an entry.
std::optional<FrameMemo> decodeMemo(std::string_view bytes);

} // namespace sextant::packager
