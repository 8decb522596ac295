// How `run` and `bench` are told a call on the command line.
#pragma once

#include "driver/host/KernelCall.h"

#include <CLI/App.hpp>

namespace sextant {

void addCallOptions(CLI::App &command, CallOptions &options);
/// The options with `kernel` and `arguments` in their places. Throws Refusal where no kernel is
/// named.
CallOptions sorted(CallOptions options);

} // namespace sextant
