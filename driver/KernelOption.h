// How every command that reads a module names a kernel: `sextant COMMAND MODULE KERNEL`, or
// `-k KERNEL`, `--kernel KERNEL` in any place. KERNEL is an instance's name, a kernel's that has
// one instance, or what `compile --kernel` was told: `scan[dtype=qd.i32, n=256]`.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace sextant {

/// Adds both ways after MODULE. `kernel` lives as long as `command`.
CLI::Option *addKernelOption(CLI::App &command, std::string &kernel, const std::string &text);

/// The one of `instances` that `name` means if it is written as for `compile`; else `name`.
std::string instanceMeant(const std::string &name, const std::vector<std::string> &instances);

} // namespace sextant
