// Code without leaves, so that it can be run backwards: what is left in the middle has no end at
// which to begin.
#pragma once

#include "frontend/hir/Builder.h"

namespace sextant::gradients {

/// Replaces scopes and leaves. A leave sets a flag, and what it would have skipped asks for the
/// flag. A loop that may be left becomes a While that asks for it, too. New locals are added to
/// `locals`.
void replaceLeaves(hir::Block &code, std::vector<hir::Local> &locals);

/// Returns how many iterations a loop has, as an unsigned number as wide as its bounds.
hir::ExprRef iterationsOf(hir::ExprRef begin, hir::ExprRef end, int64_t step);

} // namespace sextant::gradients
