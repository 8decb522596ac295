// The elements of arrays that threads of a parallel loop access: their indices by the loop's axes.
#pragma once

#include "frontend/gradients/Activity.h"

#include <optional>
#include <vector>

namespace sextant::gradients {

/// An index of an element: that of an axis times `scale` plus `offset`. Without an axis it is
/// `offset`, or, if there is an expression, this.
struct Index {
  std::optional<unsigned> axis = {};
  hir::Exact scale = 0, offset = 0;
  const hir::Expr *other = nullptr;
};

/// An element of an array of one or more axes, and a component of it.
struct Element {
  std::vector<Index> indices;
  std::vector<const hir::Expr *> extents; ///< those of the array's axes but the first
  hir::Exact components = 1, component = 0;
};

/// The axes of a task's loop, and the code of one of its threads.
class Grid {
public:
  /// \param axes their locals, as the code has them. An axis whose local is set again is not known.
  Grid(hir::Block &code, const std::vector<unsigned> &axes);

  /// Returns the value of a local that is set once, but for the axes' locals; else the expression.
  const hir::Expr &resolve(const hir::Expr &expr) const;
  /// Returns what an index into a buffer is of, if it is the position of an element.
  std::optional<Element> elementOf(const hir::Expr &index) const;
  /// True if both are positions in arrays of one shape.
  bool haveSameShape(const Element &a, const Element &b) const;
  /// True if one thread accesses two elements, or two components.
  bool areApart(const hir::Expr &a, const hir::Expr &b) const;
  /// True for the same constant or parameter.
  static bool isSameValue(const hir::Expr &a, const hir::Expr &b);

private:
  std::optional<unsigned> axisOf(const hir::Expr &expr) const;
  Index indexOf(const hir::Expr &expr) const;
  /// \param terms how many they may still look at
  std::optional<Index> affine(const hir::Expr &expr, unsigned &terms) const;
  std::optional<Index> sumOf(const hir::Expr &expr, unsigned &terms) const;

  std::vector<std::optional<unsigned>> locals;  ///< the axes'
  std::map<unsigned, const hir::Expr *> values; ///< those of locals that are set once
};

} // namespace sextant::gradients
