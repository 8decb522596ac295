// Atomic updates of places.
#pragma once

#include "frontend/sema/eval/Places.h"

namespace sextant::sema {

/// The operation of an atomic.
struct AtomicUpdate {
  hir::Combine op;
  bool subtracts = false; ///< adds the negative
};
/// Yields the old element. `what` names the call; empty for an augmented assignment.
Value atomicOn(Context &cx, AtomicUpdate update, const Place &place, const Value &value,
               SourceRange at, const std::string &what);

} // namespace sextant::sema
