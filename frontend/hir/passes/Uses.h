// What a task does with the locals of a draft.
#pragma once

#include "frontend/hir/Draft.h"

#include <set>

namespace sextant::hir {

struct Uses {
  explicit Uses(const Draft &draft) : reads(draft.locals.size()), writes(draft.locals.size()) {}
  std::vector<unsigned> reads, writes; ///< by local
  std::set<unsigned> memory;           ///< variables that are used as memory, by the first local
};

/// By task, in order.
std::vector<Uses> usesOfTasks(Draft &draft);

/// The buffer that is accessed; null where none is.
BufferRef *bufferOf(Expr &expr);
BufferRef *bufferOf(Stmt &stmt);

} // namespace sextant::hir
