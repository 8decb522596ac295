// Loads of what a thread has in a local already.
#pragma once

#include "frontend/gradients/Activity.h"

namespace sextant::gradients {

/// Has a task's flat code read a local where it would load again what it loaded before, if no
/// thread may have changed that: so the reverse adds one gradient to memory, not one a load.
void reuseLoads(hir::Block &code, std::vector<hir::Local> &locals, Activity &activity);

} // namespace sextant::gradients
