// Tells GDB and perf about CPU images, which no file on disk shows them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace sextant::loader {

/// Returns true if an image was compiled with `-g`, so that debuggers can read it. The bytes have
/// passed elfProblem().
bool hasDebugInfo(std::span<const std::byte> image);

/// An image that GDB knows through its JIT interface until this object is destroyed.
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

/// Does something only if SEXTANT_PERF_MAP=1 is set: moves the image's code to memory without a
/// file, for which alone perf looks into its map, and adds the functions to the map.
void tellPerf(std::span<const std::byte> image, uint64_t base);

} // namespace sextant::loader
