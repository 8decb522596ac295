// `--compress`, which every command that writes a module takes.
#pragma once

#include "packager/Compression.h"

#include <CLI/App.hpp>

namespace sextant {

/// Adds the option to `command`. Its value goes to `compression`, which keeps its default without
/// it, and must live as long as `command`.
void addCompressOption(CLI::App &command, packager::Compression &compression);

} // namespace sextant
