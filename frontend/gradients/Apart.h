// Proves that two accesses never reach the same element of an array.
#pragma once

#include "frontend/gradients/Activity.h"
#include "frontend/hir/Types.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace sextant::gradients {

/// Two times at which one thread runs code of a task.
struct Times {
  /// The first time is in another iteration of this loop than the second. Null: it is in the same
  /// of all loops around both, or the loop does not count.
  const hir::For *loop = nullptr;
  bool isLater = false; ///< that iteration comes after the other one
  /// No other thread runs the task. Else only the locals of loops tell elements apart, since
  /// `x[i + 1]` may be that of another thread.
  bool isAlone = false;
  std::set<unsigned> counters; ///< the locals of the loops around both
  /// It has one value at both times.
  std::function<bool(unsigned local)> isFixed;
  /// It is set between the begin of the iteration and where it is read.
  std::function<bool(unsigned local)> isCurrent;
};

/// The indices of a kernel's accesses. Two are apart if along one axis they are, for example, `f`
/// and `f + 1`: sums of the same terms, and of constants that differ.
class Indices {
public:
  /// \param tasks flat code
  explicit Indices(const std::vector<hir::Block *> &tasks);

  /// True if these indices, of one array and in scalars of one size, do not reach the same scalars:
  /// at no two times and in no two threads, or else with the first at the first of two times, and
  /// the second at the other.
  bool areApart(const hir::Expr &a, const hir::Expr &b, const Times *times = nullptr) const;
  /// True for a local that the code sets once, by an assignment.
  bool isSetOnce(unsigned local) const { return values.contains(local); }

private:
  /// A constant plus terms, each times a number that is not 0.
  struct Sum {
    hir::Exact constant = 0;
    std::map<unsigned, hir::Exact> arguments; ///< keys: parameters of the kernel
    std::map<unsigned, hir::Exact> locals;
  };
  /// \param terms how many it may still look at
  std::optional<Sum> sumOf(const hir::Expr &expr, const Times *times, unsigned &terms) const;
  std::optional<Sum> sumOf(const hir::Expr &expr, const Times *times) const;
  /// Absent: it is not known.
  std::optional<bool> areSame(const hir::Expr &a, const hir::Expr &b, const Times *times) const;
  bool arePlacesApart(const hir::Expr &a, const hir::Expr &b, const Times *times) const;
  /// True for components of elements, whichever these are, by numbers that differ.
  bool areOtherComponents(const hir::Expr &a, const hir::Expr &b, const Times *times) const;
  /// True if two positions, or sums of them, do not tell threads apart: terms that are not of loops
  /// are the same.
  bool areOfThread(const hir::Expr &a, const hir::Expr &b, const Times *times) const;
  /// True for sums of constants, arguments of the kernel, and locals of loops.
  bool isOfLoops(const hir::Expr &expr, const Times *times, unsigned &terms) const;
  /// The value of a local that is set once, or else the expression.
  const hir::Expr *resolve(const hir::Expr *expr, const Times *times) const;
  /// The step to an element's position that the expression is; null: it is another one.
  const hir::Binary *stepOf(const hir::Expr &expr, const Times *times) const;
  const hir::Expr *elementOf(const hir::Expr *component, const Times *times) const;

  std::map<unsigned, const hir::Expr *> values; ///< keys: locals that are set once
  std::set<unsigned> counters;                  ///< locals of loops
};

} // namespace sextant::gradients
