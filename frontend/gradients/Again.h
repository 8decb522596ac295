// The parts of tasks that are run again for values that tasks pass to each other.
#pragma once

#include "frontend/gradients/Activity.h"

namespace sextant::gradients {

using Statements = std::set<const hir::Stmt *>;

/// Returns the statements of a task that its stores to carried values need; none if it has no such
/// store.
/// \param carried the parameters of these values' buffers
Statements statementsFor(hir::Block &code, const std::set<unsigned> &carried);
/// Returns a copy of these statements only. The code is as it was then.
hir::Block copyOf(hir::Block &code, const Statements &those);

} // namespace sextant::gradients
