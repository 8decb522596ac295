// The control flow of a task as regions with one entry and one exit. Scopes, and the statements
// that leave them early, become branches, or flags that guard the code after them. The plan also
// says which locals every region has to hand on.
#pragma once

#include "frontend/hir/Hir.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace sextant::irgen {

/// A stretch of the task in order of emission. Positions count the mentions of locals. So a local
/// matters outside of a stretch if its first or last mention is outside.
struct Extent {
  unsigned begin = 0, end = 0;
  unsigned barrierSite = 0;                ///< the first block barrier in it, where it is checked
  llvm::SmallVector<unsigned, 4> assigned; ///< locals and flags, each once
};

struct Node;
using Region = std::vector<Node>;

struct Node {
  enum Kind : uint8_t {
    Simple,  ///< `stmt`, which has no regions
    If,      ///< `stmt` is a hir::If
    While,   ///< `stmt` is a hir::While; ends once a flag of `flags` is set
    For,     ///< `stmt` is a hir::For; likewise
    SetFlag, ///< flags[0] becomes `value`
    Guard,   ///< runs `body` unless a flag of `flags` is set
  } kind = Simple;
  const hir::Stmt *stmt = nullptr;
  Region body, otherwise;
  llvm::SmallVector<unsigned, 2> flags;
  bool value = false;
  Extent extent;              ///< the regions'; for While with the condition
  Extent condition;           ///< a While's condition's
  bool barrierInElse = false; ///< the first checked barrier of an If stands in `otherwise`
};

/// Flags are numbered after the task's locals.
struct Plan {
  Region body;
  llvm::DenseMap<const hir::Sequence *, Region> sequences;
  llvm::DenseMap<const hir::Conditional *, Extent> conditionals;
  unsigned slots = 0;                              ///< locals and flags
  std::vector<unsigned> firstMention, lastMention; ///< one a slot
  const hir::Stmt *badLeave = nullptr; ///< leaves its expression, which sema never writes

  /// The slots that are assigned in `extent` and whose value matters outside of it.
  llvm::SmallVector<unsigned> carried(const Extent &extent) const;
};

Plan planTask(const hir::Task &task);

} // namespace sextant::irgen
