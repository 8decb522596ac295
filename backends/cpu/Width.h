// How many threads of a task run together.
#pragma once

#include "backends/cpu/Shape.h"
#include "backends/cpu/Target.h"

namespace sextant::cpu {

/// If lanes exchange values, a subgroup runs together. Otherwise as many threads as keep the
/// machine busy without spilling. A debugger steps through one thread at a time (`isStepped`), and
/// so do waves of one lane.
Lanes chooseLanes(mlir::func::FuncOp task, const Machine &machine, unsigned wave, bool isStepped);

} // namespace sextant::cpu
