// Waits of one block for another.
#pragma once

#include "frontend/hir/Hir.h"

namespace sextant::sema {

/// True if a `while` reads memory that other blocks may change meanwhile: it may be a look-back, a
/// lock, or a flag.
bool mayWait(hir::Stmt &loop);

} // namespace sextant::sema
