// The options by which the command line describes a call to `run` and `bench`.
#pragma once

#include "driver/host/KernelMeasure.h"

#include <CLI/App.hpp>

namespace sextant {

void addCallOptions(CLI::App &command, CallOptions &options);
/// Those of `bench` and `tune`.
void addMeasureOptions(CLI::App &command, MeasureSettings &settings);
/// Returns the options with `kernel` and `arguments` filled in. Throws Refusal if no kernel is
/// named.
CallOptions sorted(CallOptions options);

} // namespace sextant
