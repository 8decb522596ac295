// Histograms of a thread, in registers.
#pragma once

#include "frontend/ir/SimtDialect.h"

namespace sextant {

/// Makes small arrays of threads, which a thread updates at places that differ from lane to lane,
/// one variable for each element, and their accesses choices.
void chooseComponents(mlir::ModuleOp module);

} // namespace sextant
