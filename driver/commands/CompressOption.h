// `--compress`, which every command that writes a module takes.
#pragma once

#include "packager/Compression.h"

#include <CLI/App.hpp>

namespace sextant {

/// Adds the option to `command`; what it says lands in `compression`, which keeps its value,
/// the default, without it and lives as long as `command`.
void addCompressOption(CLI::App &command, packager::Compression &compression);

} // namespace sextant
