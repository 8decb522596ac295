// The values that take part in a derivative, and those that code which runs backwards asks for.
#pragma once

#include "frontend/hir/Draft.h"

#include <functional>
#include <map>
#include <set>

namespace sextant::gradients {

/// An array, as a key.
using Array = std::pair<hir::BufferRef::Kind, unsigned>;
inline Array keyOf(const hir::BufferRef &buffer) { return {buffer.kind, buffer.index}; }

/// True for memory that ends with the task: shared arrays, and those of a thread.
inline bool isOfTask(const hir::BufferRef &buffer) {
  return buffer.kind == hir::BufferRef::Shared || buffer.kind == hir::BufferRef::Private;
}

/// The declaration of an array of tasks.
inline const hir::ArrayDecl &declOf(const hir::Draft &draft, const Array &array) {
  return (array.first == hir::BufferRef::Shared ? draft.shared : draft.privates)[array.second];
}

/// Values in locals and in arrays of tasks.
struct Values {
  std::set<unsigned> locals;
  std::set<Array> arrays;
};

/// Values that depend on an array with a gradient, and on which such an array depends.
struct Activity {
  std::set<unsigned> locals;
  std::set<Array> ofTasks; ///< arrays of tasks with such values
  Values varied;           ///< those that depend on an array with a gradient, used or not
  Values useful;           ///< those on which such an array depends, varied or not
  /// The arrays, each with the one of its derivatives.
  std::map<Array, hir::BufferRef> gradients;

  bool has(const hir::BufferRef &buffer) const { return gradients.contains(keyOf(buffer)); }
  /// True if the derivative by the expression's value matters.
  bool isActive(const hir::Expr &expr) const { return depends(expr, locals, {}); }
  /// True if the value depends on an array with a gradient.
  bool isVaried(const hir::Expr &expr) const { return depends(expr, varied.locals, varied.arrays); }

private:
  bool depends(const hir::Expr &expr, const std::set<unsigned> &locals,
               const std::set<Array> &arrays) const;
};

/// Calls `visit` with the operands by which the value has a derivative.
void forEachReal(const hir::Expr &expr, const std::function<void(const hir::Expr &)> &visit);
/// Calls `visit` for each statement that is to be differentiated.
void forEachOfTasks(hir::Draft &draft, const std::function<void(hir::Stmt &)> &visit);
/// Calls `visit` with each array that a statement changes, and the value that it puts there.
void forEachWrite(hir::Stmt &stmt,
                  const std::function<void(const hir::BufferRef &, const hir::Expr &)> &visit);

/// Adds the locals and the arrays of the tasks that are active, given the kernel's arrays that are.
void findActive(hir::Draft &draft, Activity &activity);

/// The values that are needed to run flat code backwards.
struct Needed {
  std::set<unsigned> locals;
  std::set<Array> arrays; ///< arrays of tasks whose values are
  /// For each statement, the locals that it reads to that end.
  std::map<const hir::Stmt *, std::set<unsigned>> reads;
};
Needed findNeeded(hir::Block &code, const Activity &activity);
/// Those that are needed to run the iterations of a loop backwards. They leave out what only the
/// code after the loop needs.
Needed findNeeded(hir::Stmt &loop, const Activity &activity);

} // namespace sextant::gradients
