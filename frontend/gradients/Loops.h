// How loops are run backwards.
#pragma once

#include "frontend/gradients/Filled.h"

#include <functional>

namespace sextant::gradients {

enum class Way : uint8_t {
  /// Each iteration is run and reversed at once, in the order of the loop: none gives a derivative
  /// to an earlier one.
  Forward,
  /// The last iteration first. Each needs nothing of those before it.
  Backward,
  /// The same, from states of the loop that are kept at some iterations.
  Checkpoints,
};

struct LoopPlan {
  Way way = Way::Forward;
  std::set<unsigned> set, exposed;
  /// Locals that an iteration needs from those before it.
  std::set<unsigned> state;
  /// Active locals that iterations only add to: the derivative by each sum is that by the last one.
  std::set<unsigned> sums;
};

/// \param kept the arrays of the task that loops have to keep, as findKept() says
/// \param isRead tells of a local that the loop sets if code outside of it may read it
LoopPlan planLoop(hir::Stmt &loop, const Activity &activity, const std::set<unsigned> &needed,
                  const KeptArrays &kept, const std::function<bool(unsigned)> &isRead);

} // namespace sextant::gradients
