// Counts how tasks use the locals of a draft.
#pragma once

#include "frontend/hir/Draft.h"

#include <set>

namespace sextant::hir {

struct Uses {
  explicit Uses(const Draft &draft)
      : draft(draft), reads(draft.locals.size()), writes(draft.locals.size()) {}
  const Draft &draft;
  std::vector<unsigned> reads, writes; ///< by local
  std::set<unsigned> memory;           ///< variables that are used as memory, by the first local
  /// Locals that may be read before the task writes them. Only tasks of loops have them.
  std::vector<bool> exposed;
};

/// Returns the uses of each task, in order.
std::vector<Uses> usesOfTasks(Draft &draft);

/// Returns the outermost loop that a span stands in, or is, of Draft::spans; 0: none. Tasks with
/// the same one run again after each other.
unsigned outermostLoop(const Draft &draft, unsigned span);

/// Returns the buffer that the expression or statement accesses, or null.
BufferRef *bufferOf(Expr &expr);
BufferRef *bufferOf(Stmt &stmt);

} // namespace sextant::hir
