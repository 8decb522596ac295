// Split images: the content of a pack in files with requiredSplit. Only the reader uses this
// header.
#pragma once

#include "loader/format/Result.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace sextant::module {

/// An image of a pack, and the number of the content's bytes that are its own.
struct PackImage {
  std::vector<std::byte> bytes;
  uint64_t ownBytes = 0;
};

/// Puts image number `local` of a pack's content together.
/// \param maxBytes the largest size that the image may have
/// \param who      names the pack in messages
Result<PackImage> splitImage(std::span<const std::byte> content, uint32_t local, uint64_t maxBytes,
                             const std::string &who);

/// Calls back for each of the pack's images, in order, until a call fails. The templates are read
/// once for all of them.
/// \param call gets the image's number, its size, the number of the content's bytes that are its
/// own, and a function that writes it
Status
eachSplitImage(std::span<const std::byte> content, uint32_t imageCount, uint64_t maxBytes,
               const std::string &who,
               const std::function<Status(uint32_t, uint64_t, uint64_t,
                                          const std::function<Status(std::byte *)> &)> &call);

/// Checks that each of the pack's `imageCount` images (at least one) can be put together, and that
/// no byte is left over.
Status checkSplit(std::span<const std::byte> content, uint32_t imageCount, uint64_t maxBytes,
                  const std::string &who);

} // namespace sextant::module
