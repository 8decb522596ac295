// Counts how tasks use the locals of a draft.
#pragma once

#include "frontend/hir/Draft.h"

#include <set>

namespace sextant::hir {

struct Uses {
  explicit Uses(const Draft &draft) : reads(draft.locals.size()), writes(draft.locals.size()) {}
  std::vector<unsigned> reads, writes; ///< by local
  std::set<unsigned> memory;           ///< variables that are used as memory, by the first local
};

/// Returns the uses of each task, in order.
std::vector<Uses> usesOfTasks(Draft &draft);

/// Returns the buffer that the expression or statement accesses, or null.
BufferRef *bufferOf(Expr &expr);
BufferRef *bufferOf(Stmt &stmt);

} // namespace sextant::hir
