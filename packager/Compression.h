// How much work goes into a module's size: what `--compress` says.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace sextant::packager {

/// docs/command.md has sizes and times of each.
enum class Compression : uint8_t {
  None,     ///< images lie in the file as they are: nothing is decompressed to use one
  Fast,     ///< quick to write: while developing
  Balanced, ///< small, at a few percent of the compiler's time
  Small,    ///< the smallest; takes longer to write, and more memory
};

/// Their names on command lines and in manifests, in the order of the enumeration.
inline constexpr std::array<std::string_view, 4> compressionNames = {"none", "fast", "balanced",
                                                                     "small"};

} // namespace sextant::packager
