// Waits of one block for another.
#pragma once

#include "frontend/hir/Hir.h"

namespace sextant::sema {

/// True if a `while` reads memory that other blocks may change meanwhile: it may be a look-back, a
/// lock, or a flag.
bool mayWait(hir::Stmt &loop);

/// True if a `while` does nothing but look until such memory has changed: its body is empty, or
/// only reads again what the condition asks for.
bool isPoll(hir::Stmt &loop);

} // namespace sextant::sema
