// Where the bytes of a module are: `sextant inspect --size` and the limit of `--max-size`.
#pragma once

#include "loader/format/Reader.h"

#include <optional>

namespace sextant::packager {

struct SizeRow {
  std::string name;
  uint64_t count = 0;  ///< the number of things that it sums up
  uint64_t bytes = 0;  ///< size of images and descriptions, decompressed; tables as they are
  uint64_t stored = 0; ///< bytes of the file
};

/// In each list, `stored` adds up to the file's size. The images of one frame share its bytes in
/// proportion to their size, and variants share a common image evenly.
struct Sizes {
  uint64_t fileBytes = 0;
  std::vector<SizeRow> parts;    ///< the file's parts, in its order
  std::vector<SizeRow> kernels;  ///< code and descriptions of each kernel; count: variants
  std::vector<SizeRow> targets;  ///< code; count: variants
  std::vector<SizeRow> variants; ///< "KERNEL@TARGET", code
  std::vector<SizeRow> sections; ///< sections of images, "FORMAT KIND"; count: images
};

/// \param file the bytes of the whole module
/// Lists except `parts` are sorted by stored bytes, the largest first; unattributed bytes come
/// last. The errors are those of a module that fails Reader::verify.
module::Result<Sizes> sizesOf(std::span<const std::byte> file, module::ReaderLimits limits = {});

/// \param top the number of rows in each table; the others become one row
std::string sizesText(const Sizes &sizes, size_t top);
std::string sizesJson(const Sizes &sizes, size_t top);

/// Parses "12345", "400KB" (of 1000), "400KiB" (of 1024), "64MB", "1GB". Absent if the text is not
/// one of these.
std::optional<uint64_t> parseByteCount(std::string_view text);

/// Returns TooLarge if the module exceeds `limit`, and names its largest targets and kernels.
module::Status checkSize(std::span<const std::byte> file, uint64_t limit);

} // namespace sextant::packager
