// Where the parts of an ELF image lie, in the file and in memory.
#pragma once

#include "loader/system/Frames.h"
#include "loader/system/Memory.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sextant::loader {

/// A part of an image: a loadable segment that is not empty. Addresses are the image's own.
struct ElfPart {
  uint64_t begin = 0, bytes = 0;
  uint64_t fileBegin = 0, fileBytes = 0; ///< the part that the file has; the rest is zeros
  system::Access access = system::Access::Read;
};

struct ElfRange {
  uint64_t begin = 0, bytes = 0;
};

struct ElfLayout {
  std::vector<ElfPart> parts; ///< sorted by address; no two share a page
  uint64_t alignment = 1;     ///< alignment of the image's address; a power of two
  ElfRange all;               ///< from a multiple of the alignment on
  ElfRange dynamic;           ///< the dynamic section, inside of a part
  ElfRange relro;             ///< inside of a part: read-only once it is relocated
  ElfRange frames;            ///< the index of call frames (.eh_frame_hdr), or empty; not checked

  /// Returns the part that holds all of a range, or null.
  const ElfPart *find(uint64_t begin, uint64_t bytes) const;
  /// Returns where the file of this layout says what its frames are. No bytes: it does not.
  system::FrameSections frameSections(std::span<const std::byte> file) const;
};

/// Reads the headers of a 64-bit shared object of this machine, and believes none of them. Returns
/// what is wrong, as a phrase that begins with a verb, or null.
/// \param page bytes of a page of the system
const char *readLayout(std::span<const std::byte> file, uint64_t page, ElfLayout &layout);

} // namespace sextant::loader
