// The effort that goes into a module's size: the values of `--compress`.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace sextant::packager {

/// docs/command.md has the sizes and times of each.
enum class Compression : uint8_t {
  None,     ///< images lie in the file as they are: nothing is decompressed to use one
  Fast,     ///< quick to write: while developing
  Balanced, ///< small, at a few percent of the compiler's time
  Small,    ///< the smallest; takes longer to write, and more memory
};

/// The names for command lines and manifests, in the order of the enumeration.
inline constexpr std::array<std::string_view, 4> compressionNames = {"none", "fast", "balanced",
                                                                     "small"};

} // namespace sextant::packager
