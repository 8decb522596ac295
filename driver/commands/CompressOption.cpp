// Offers the names of packager/Compression.h as an option.
#include "driver/commands/CompressOption.h"

#include "driver/commands/OneOf.h"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace sextant {

void addCompressOption(CLI::App &command, packager::Compression &compression) {
  const auto &names = packager::compressionNames;
  command
      .add_option_function<std::string>(
          "--compress",
          [&compression](const std::string &name) {
            const auto known = std::find(names.begin(), names.end(), name);
            compression = static_cast<packager::Compression>(known - names.begin());
          },
          "none, fast, balanced or small: the module's size against the time to write it; "
          "default: balanced")
      ->check(oneOf("--compress", {names.begin(), names.end()}));
}

} // namespace sextant
