// The locals of code that is run again: a new one for each value that a local takes.
#pragma once

#include "frontend/hir/Builder.h"
#include "frontend/hir/Draft.h"

#include <map>

namespace sextant::gradients {

/// The version that each local is.
using Versions = std::map<unsigned, unsigned>;

/// Makes locals of a draft, and knows which of them are versions of others.
class Locals {
public:
  explicit Locals(hir::Draft &draft) : draft(draft) {}

  unsigned add(std::string name, hir::Type type);
  /// A local for one of the values that another one takes.
  unsigned addVersion(unsigned of);
  bool isVersion(unsigned local) const { return originals.contains(local); }
  unsigned originalOf(unsigned version) const { return originals.at(version); }

  const hir::Local &operator[](unsigned local) const { return draft.locals[local]; }
  hir::ExprRef read(unsigned local, hir::Loc at) const;
  /// Appends an assignment of a new local, which it returns.
  unsigned keep(const char *name, hir::Block &to, hir::ExprRef value, hir::Loc at);

  hir::Draft &draft;

private:
  std::map<unsigned, unsigned> originals;
};

/// Appends an assignment.
void assign(hir::Block &to, unsigned local, hir::ExprRef value, hir::Loc at);

/// Returns the expression with versions in place of locals.
hir::ExprPtr renamed(const hir::Expr &expr, const Versions &now);

} // namespace sextant::gradients
