// What compressing a pack gave, for later builds of a similar module: the sizes that trials of its
// bases found, and its frame. After the edit of a kernel most packs of a module are as before, and
// compressing is the dearest thing that is left to do for them.
#pragma once

#include "loader/format/Trust.h"
#include "packager/Packs.h"

#include <optional>
#include <string>

namespace sextant::packager {

/// Keeps entries by key, or forgets them. Implementations are thread-safe, and return what was
/// stored under a key, or nothing.
class FrameStore {
public:
  virtual ~FrameStore() = default;
  virtual std::optional<std::string> find(const std::string &key) = 0;
  virtual void store(const std::string &key, std::string_view bytes) = 0;
};

/// Packs with less content are compressed about as fast as they are looked up.
inline constexpr size_t leastRemembered = 8 << 10;

struct FrameMemo {
  /// The trials' results by candidate: compressed sizes.
  std::vector<uint64_t> trials;
  uint32_t candidate = 0; ///< whose content is the frame's prefix
  PackedFrame frame;      ///< without its base
};

/// The key of a pack: a hash of its content, of its candidates' in their order, and of how they are
/// compressed. Hexadecimal.
std::string memoKey(const module::Sha256 &content, std::span<const module::Sha256> candidates,
                    int level, int trialLevel);

std::string encodeMemo(const FrameMemo &memo);
/// Nothing, if the bytes are not of a pack with so many candidates.
std::optional<FrameMemo> decodeMemo(std::string_view bytes, size_t candidates);

} // namespace sextant::packager
