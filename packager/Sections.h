// Cuts images so that their similar parts lie side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sextant::packager {

/// The bytes of an image from the end of the previous cut.
struct Cut {
  enum Kind : uint8_t {
    Bytes,
    Words,        ///< little-endian uint32_t that may depend on where other cuts lie
    Padding,      ///< between sections; may be empty
    Repeat,       ///< the bytes of cut number `repeats`
    Instructions, ///< instructions of SPIR-V
  };
  Kind kind = Bytes;
  size_t length = 0;
  std::string stream;         ///< its neighbours in compression: all but Repeat and Padding
  uint32_t repeats = 0;       ///< an earlier cut of the kind Bytes
  bool startsSection = false; ///< or a header or table
};

/// Returns the cuts of an image, which together cover all of it. 64-bit ELF files are cut into
/// their headers and their sections, and around the names of their functions, SPIR-V modules into
/// their header and their instructions. Any other file, and a malformed one, is one cut.
std::vector<Cut> cutImage(std::span<const std::byte> image);

/// Returns true if that gives more than one cut.
bool hasCuts(std::span<const std::byte> image);

} // namespace sextant::packager
