// What GDB and perf learn of CPU images, which no file on disk shows them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace sextant::loader {

/// Whether an image has what debuggers read: it was compiled with `-g`. The bytes have passed
/// elfProblem().
bool hasDebugInfo(std::span<const std::byte> image);

/// An image that GDB knows, through its JIT interface, until the object goes.
class GdbImage {
public:
  /// \param base what was added to the addresses of `image` when it was loaded
  GdbImage(std::span<const std::byte> image, uint64_t base);
  ~GdbImage();
  GdbImage(const GdbImage &) = delete;

private:
  struct Entry;
  std::unique_ptr<Entry> entry; ///< null: the image could not be understood
};

/// Where SEXTANT_PERF_MAP=1 asks for it, moves the image's code to memory without a file, the
/// only kind for which perf looks into its map, and adds the functions to the map.
void tellPerf(std::span<const std::byte> image, uint64_t base);

} // namespace sextant::loader
