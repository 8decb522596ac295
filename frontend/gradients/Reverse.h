// A task's code, and after it the same backwards: the derivatives of its results become those of
// its inputs.
#pragma once

#include "frontend/gradients/Activity.h"

namespace sextant::gradients {

/// Returns code that adds to the gradients of the arrays that `code` reads what follows from those
/// of the arrays that it writes, and clears the latter. `code` is flat and has no leaves. Its
/// stores to the outside are left out.
/// \param isSerial one thread runs it
hir::Block reverse(hir::Block &code, hir::Draft &draft, const Activity &activity,
                   const Needed &needed, bool isSerial);

} // namespace sextant::gradients
