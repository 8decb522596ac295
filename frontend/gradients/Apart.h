// Proves that two accesses never reach the same element of an array.
#pragma once

#include "frontend/gradients/Activity.h"
#include "frontend/hir/Types.h"

#include <map>
#include <optional>
#include <vector>

namespace sextant::gradients {

/// The indices of a kernel's accesses. Two are apart if along one axis they are, for example, `f`
/// and `f + 1`: sums of the same arguments of the kernel, and of constants that differ.
class Indices {
public:
  /// \param tasks flat code
  explicit Indices(const std::vector<hir::Block *> &tasks);

  /// True if no two threads reach the same scalars by these indices, of one array and in scalars of
  /// one size.
  bool areApart(const hir::Expr &a, const hir::Expr &b) const;

private:
  /// A constant plus arguments of the kernel, each times a number that is not 0.
  struct Sum {
    hir::Exact constant = 0;
    std::map<unsigned, hir::Exact> arguments; ///< keys: parameters
  };
  std::optional<Sum> sumOf(const hir::Expr &expr) const;
  /// Absent: it is not known.
  std::optional<bool> areSame(const hir::Expr &a, const hir::Expr &b) const;
  /// The value of a local that is set once, or else the expression.
  const hir::Expr *resolve(const hir::Expr *expr) const;
  /// The step to an element's position that the expression is; null: it is another one.
  const hir::Binary *stepOf(const hir::Expr &expr) const;
  const hir::Expr *elementOf(const hir::Expr *component) const;

  std::map<unsigned, const hir::Expr *> values; ///< keys: locals that are set once
};

} // namespace sextant::gradients
