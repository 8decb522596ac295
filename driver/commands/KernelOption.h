// How every command that reads a module names a kernel: `sextant COMMAND MODULE KERNEL`, or
// `-k KERNEL`, `--kernel KERNEL` in any place. KERNEL is an instance's name, a kernel's that has
// one instance, or what `compile --kernel` was told: `scan[dtype=qd.i32, n=256]`.
#pragma once

#include <CLI/App.hpp>
#include <string>

namespace sextant {

/// Adds both ways after MODULE. `kernel` lives as long as `command`.
CLI::Option *addKernelOption(CLI::App &command, std::string &kernel, const std::string &text);

} // namespace sextant
