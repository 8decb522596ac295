// Tells GDB and perf about CPU images, which no file on disk shows them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace sextant::loader {

/// An image that GDB knows through its JIT interface until this object is destroyed. The bytes of
/// this and the next function have passed readLayout().
class GdbImage {
public:
  /// \param base the address that was added to those of `image` when it was loaded
  GdbImage(std::span<const std::byte> image, uint64_t base);
  ~GdbImage();
  GdbImage(const GdbImage &) = delete;

private:
  struct Entry;
  std::unique_ptr<Entry> entry; ///< null: the image could not be understood
};

/// Adds the image's functions to perf's map, if SEXTANT_PERF_MAP=1 is set.
void tellPerf(std::span<const std::byte> image, uint64_t base);

} // namespace sextant::loader
