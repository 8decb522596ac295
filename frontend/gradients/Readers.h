// The readers of what a statement sets.
#pragma once

#include "frontend/gradients/Activity.h"

#include <optional>

namespace sextant::gradients {

/// Knows, for the flat code of a task, which locals a statement passes on.
class Readers {
public:
  Readers(hir::Block &task, Needed needed) : needed(std::move(needed)), task(task) {}

  /// True if code outside of the statement may read what it sets a local to.
  bool isRead(unsigned local, hir::Stmt &stmt) { return isReadOutside(local, stmt, &Reads::all); }
  /// The same of code that is run again.
  bool isValueRead(unsigned local, hir::Stmt &stmt) {
    return needed.locals.contains(local) && isReadOutside(local, stmt, &Reads::values);
  }

  const Needed needed;
  std::vector<hir::Stmt *> around; ///< the loops around the code in question

private:
  /// How often statements read each local: at all, and because the reverse needs its value.
  struct Reads {
    std::map<unsigned, unsigned> all, values;
  };
  void count(hir::Stmt &stmt, Reads &reads);
  Reads &readsInside(hir::Stmt &stmt);
  bool isReadOutside(unsigned local, hir::Stmt &stmt, std::map<unsigned, unsigned> Reads::*which);
  const std::set<unsigned> &exposures(hir::Stmt &loop);

  hir::Block &task;
  std::optional<Reads> everywhere;
  std::map<hir::Stmt *, Reads> inside;
  std::map<hir::Stmt *, std::set<unsigned>> exposed;
};

} // namespace sextant::gradients
