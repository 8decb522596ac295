// Frames of code that the loader has mapped itself: a system whose debuggers, profilers and
// handlers of exceptions look frames up in tables gets tables for an image.
#pragma once

#include "loader/system/Memory.h"

#include <memory>
#include <span>

namespace sextant::system {

/// The frames that an image describes: the sections .eh_frame_hdr and .eh_frame. Nothing of it has
/// been checked. Addresses are the image's own.
struct FrameSections {
  std::span<const std::byte> bytes; ///< content of the segment that has both sections
  uint64_t address = 0;             ///< address of these bytes
  uint64_t index = 0;               ///< address of .eh_frame_hdr
  uint64_t first = 0, end = 0;      ///< addresses of the image
};

/// Tells the system of an image's frames, for as long as this object lives.
class Frames {
public:
  Frames();
  ~Frames(); ///< before the image's pages are released
  Frames(const Frames &) = delete;
  Frames &operator=(const Frames &) = delete;

  /// Reads the sections. Returns how many bytes to reserve after the image for the system's
  /// tables. What cannot be understood is left out.
  /// \param place of these bytes, from the image's first address; a multiple of a page
  uint64_t read(const FrameSections &sections, uint64_t place);
  /// Writes the tables after the image, and tells the system. If it takes none, nobody walks
  /// through the image's frames, and all else works.
  void add(Pages &pages);

private:
  struct Impl;
  std::unique_ptr<Impl> impl; ///< null: nothing to tell
};

} // namespace sextant::system
