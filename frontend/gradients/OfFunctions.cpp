// Looks at the tasks of functions' own derivatives.
#include "frontend/gradients/OfFunctions.h"
#include "frontend/gradients/Walk.h"

namespace sextant::gradients {

using namespace hir;

size_t beginOfDerivative(const Draft &draft, size_t last) {
  while (last > 0 && draft.tasks[last - 1].part == Part::Derivative)
    --last;
  return last;
}

/// Calls `visit` with each array outside of tasks that the code loads, or stores to.
static void forEachAccess(Block &code, const std::function<void(const Array &, bool)> &visit) {
  const auto look = [&](const BufferRef *buffer, bool isLoad) {
    if (buffer && !isOfTask(*buffer))
      visit(keyOf(*buffer), isLoad);
  };
  forEachStatement(code, [&](Stmt &stmt) {
    look(bufferOf(stmt), false);
    forEachExpr(stmt,
                [&](Expr &expr) { look(bufferOf(expr), std::holds_alternative<Load>(expr.node)); });
  });
}

std::vector<std::set<Array>> readsOfDerivatives(Draft &draft) {
  std::set<Array> gradients;
  for (const auto &[array, gradient] : draft.gradients)
    gradients.insert({BufferRef::Param, gradient});
  std::vector<std::set<Array>> reads(draft.tasks.size());
  for (size_t last = draft.tasks.size(); last-- > 0;) {
    if (draft.tasks[last].part != Part::Derivative)
      continue;
    const size_t begin = beginOfDerivative(draft, last);
    std::set<Array> stored = gradients;
    for (size_t t = begin; t <= last; ++t)
      forEachAccess(draft.tasks[t].task.body, [&](const Array &array, bool isLoad) {
        if (!isLoad)
          stored.insert(array);
      });
    for (size_t t = begin; t <= last; ++t)
      forEachAccess(draft.tasks[t].task.body, [&](const Array &array, bool isLoad) {
        if (isLoad && !stored.contains(array))
          reads[t].insert(array);
      });
    last = begin;
  }
  return reads;
}

} // namespace sextant::gradients
