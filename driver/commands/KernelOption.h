// How a command that reads a module takes a kernel's name: `sextant COMMAND MODULE KERNEL`, or `-k
// KERNEL` or `--kernel KERNEL` in any place. KERNEL is an instance's name, the name of a kernel
// with one instance, or the text that `compile --kernel` got: `scan[dtype=qd.i32, n=256]`.
#pragma once

#include <CLI/App.hpp>
#include <string>

namespace sextant {

/// Adds both ways after MODULE. `kernel` must live as long as `command`.
CLI::Option *addKernelOption(CLI::App &command, std::string &kernel, const std::string &text);

} // namespace sextant
