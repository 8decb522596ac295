// Derivatives of the kernel's results by the values of locals.
#pragma once

#include "frontend/gradients/Versions.h"

namespace sextant::gradients {

/// Each version of an active local has an adjoint. It begins with zero in the code in which the
/// version is defined, when that is run backwards, and no code adds to one that is zero.
class Adjoints {
public:
  explicit Adjoints(Locals &locals) : locals(locals) {}

  /// Makes `code` the place where the adjoints of these versions begin.
  void begin(const std::vector<unsigned> &versions, hir::Block &code) {
    for (unsigned version : versions)
      begin(version, code);
  }
  void begin(unsigned version, hir::Block &code) { adjoints[version] = {0, false, &code}; }
  /// Returns a read of it, or null: it is zero.
  hir::ExprRef of(unsigned version, hir::Loc at) const;
  /// Adds to it, in `code`.
  void add(unsigned version, hir::ExprRef value, hir::Block &code);

  /// Locals that the iterations of a loop only add to, each with the version that is the sum. All
  /// of their versions in the loop share its adjoint, which stays as it is.
  std::map<unsigned, unsigned> sums;
  unsigned work = 0; ///< counts what was added, here and to gradients in memory

private:
  struct Adjoint {
    unsigned local = 0;
    bool isSet = false; ///< else it is zero, and no code sets it
    hir::Block *home = nullptr;
  };
  /// The sum that the version is one of the values of, if it is.
  std::optional<unsigned> sumOf(unsigned version) const;

  Locals &locals;
  std::map<unsigned, Adjoint> adjoints; ///< keys: versions
};

} // namespace sextant::gradients
