// Runs code again, as far as the reverse needs its values, and writes down what is to be reversed.
#pragma once

#include "frontend/gradients/Loops.h"
#include "frontend/gradients/Readers.h"
#include "frontend/gradients/Versions.h"

#include <span>

namespace sextant::gradients {

struct Trace;

/// A choice of versions where the two ways of an If meet.
struct Merge {
  unsigned merged;
  bool isValue;                            ///< the value is needed, too
  std::optional<unsigned> then, otherwise; ///< none: that way has no value
};

/// A statement to reverse: with versions for locals, if it has no blocks.
struct Step {
  hir::Stmt stmt;
  std::vector<Trace> ways; ///< two for an If
  std::vector<Merge> merges;
  hir::Stmt *loop = nullptr; ///< a loop: as it was, with the versions before it and after it
  Versions before, after;
  std::optional<unsigned> rounds; ///< the number of iterations of a While
};

struct Trace {
  std::vector<Step> steps;
  std::vector<unsigned> defined; ///< versions whose adjoints begin with this code
};

class Replay {
public:
  Replay(hir::Block &task, Locals &locals, const Activity &activity, const Needed &needed)
      : locals(locals), activity(activity), needed(needed), readers(task, needed) {}

  /// Appends to `out` what of the code is needed, and to `trace` what is to be reversed.
  void run(std::span<hir::Stmt> code, Versions &now, hir::Block &out, Trace &trace);
  /// Code that is only run again, with one local for all versions.
  hir::Block plain(std::span<hir::Stmt> code, const Versions &now) const;
  /// The versions after an If: of locals that one of its ways sets.
  std::vector<Merge> mergesOf(hir::Stmt &stmt, Versions &now);
  /// Ends a way of an If.
  void merge(std::vector<Merge> &merges, std::optional<unsigned> Merge::*way, const Versions &now,
             hir::Block &out, hir::Loc at);
  /// New locals for those that a loop sets, which begin with their versions before it.
  Versions variablesOf(hir::Stmt &loop, const LoopPlan &plan, const Versions &before,
                       hir::Block &out);
  LoopPlan planOf(hir::Stmt &loop);
  bool isNeeded(unsigned local) const { return needed.locals.contains(local); }
  bool isActive(unsigned local) const { return activity.locals.contains(local); }

  Locals &locals;
  const Activity &activity;
  const Needed &needed;
  Readers readers;

private:
  void statement(hir::Stmt &stmt, Versions &now, hir::Block &out, Trace &trace);
  void branch(hir::Stmt &stmt, Versions &now, hir::Block &out, Trace &trace);
  void loop(hir::Stmt &stmt, Versions &now, hir::Block &out, Trace &trace);
};

} // namespace sextant::gradients
