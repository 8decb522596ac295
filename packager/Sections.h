// Where images are cut so that what is alike in them lies side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sextant::packager {

/// Bytes of an image from the end of the cut before it.
struct Cut {
  enum Kind : uint8_t {
    Bytes,
    Words,   ///< little-endian uint32_t that may depend on where other cuts lie
    Padding, ///< between sections; may be empty
    Repeat,  ///< the bytes of cut number `repeats`
  };
  Kind kind = Bytes;
  size_t length = 0;
  std::string stream;         ///< what it is compressed beside: Bytes and Words
  uint32_t repeats = 0;       ///< an earlier cut of the kind Bytes
  bool startsSection = false; ///< or a header or table
};

/// Cuts of an image, which together are all of it. 64-bit ELF files are cut into their
/// headers, their sections, and around the names of their functions. Whatever is none, or
/// none that makes sense, is one cut.
std::vector<Cut> cutImage(std::span<const std::byte> image);

/// Whether that gives more than one cut.
bool hasCuts(std::span<const std::byte> image);

} // namespace sextant::packager
