// Counts how tasks use the locals of a draft.
#pragma once

#include "frontend/hir/Draft.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace sextant::hir {

struct Uses {
  explicit Uses(const Draft &draft)
      : draft(draft), reads(draft.locals.size()), writes(draft.locals.size()) {}
  const Draft &draft;
  std::vector<unsigned> reads, writes; ///< one count a local
  std::set<unsigned> memory;           ///< variables that are used as memory, by the first local
  /// Locals that may be read before the task writes them, and where. Only tasks of loops have them.
  std::map<unsigned, SourceRange> exposed;
};

/// How the iterations of a parallel task use variables of the kernel as memory.
struct SharedUses {
  struct Component {
    bool isRead = false; ///< also by an atomic
    bool isLoaded = false, isStored = false;
    std::optional<SourceRange> exposed; ///< where an iteration may read it before it stores it
  };
  struct Variable {
    std::vector<Component> components;
    bool isIndexed = false;   ///< components are accessed by numbers of the run, too
    bool isWaitedFor = false; ///< it tells threads of each other
    bool isStored() const { return std::ranges::any_of(components, &Component::isStored); }
  };
  std::map<unsigned, Variable> variables; ///< keys: the first locals
};

/// A serial task has none, and one whose threads wait for each other.
SharedUses sharedUses(const Draft &draft, Task &task);

/// Returns the uses of each task, in order.
std::vector<Uses> usesOfTasks(Draft &draft);

/// Returns the outermost loop that a span stands in, or is, of Draft::spans; 0: none. Tasks with
/// the same one run again after each other.
unsigned outermostLoop(const Draft &draft, unsigned span);

/// Returns the local that a component of a carried variable is, where its index is a constant.
std::optional<unsigned> componentAt(const BufferRef *ref, const Expr &index);

/// Returns the buffer that the expression or statement accesses, or null.
BufferRef *bufferOf(Expr &expr);
BufferRef *bufferOf(Stmt &stmt);

} // namespace sextant::hir
