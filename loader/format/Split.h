// Split images: the content of a pack in files with requiredSplit. Used by the reader alone.
#pragma once

#include "loader/format/Result.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace sextant::module {

/// An image of a pack, and how many of the content's bytes are its own.
struct PackImage {
  std::vector<std::byte> bytes;
  uint64_t ownBytes = 0;
};

/// Image number `local` of a pack's content, put together again.
/// \param maxBytes that the image may have
/// \param who      names the pack in messages
Result<PackImage> splitImage(std::span<const std::byte> content, uint32_t local, uint64_t maxBytes,
                             const std::string &who);

/// Calls back for each of the pack's images, in order, until a call fails. The templates are read
/// once for all of them.
/// \param call gets the image's number, its bytes, how many of the content's bytes are its own, and
///             what writes it
Status eachSplitImage(std::span<const std::byte> content, uint32_t imageCount, uint64_t maxBytes,
                      const std::string &who,
                      const std::function<Status(uint32_t, uint64_t, uint64_t,
                                                 const std::function<void(std::byte *)> &)> &call);

/// That each of the pack's `imageCount` images, at least one, can be put together, and that nothing
/// is left over.
Status checkSplit(std::span<const std::byte> content, uint32_t imageCount, uint64_t maxBytes,
                  const std::string &who);

} // namespace sextant::module
