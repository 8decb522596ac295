// Runs code again, as far as the reverse needs its values, and writes down what is to be reversed.
#pragma once

#include "frontend/gradients/Loops.h"
#include "frontend/gradients/Readers.h"
#include "frontend/gradients/Slots.h"
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

/// The states of a loop that its run has kept for its reverse (Checkpoints.h). All but the slots
/// are locals.
struct States {
  std::optional<unsigned> few; ///< so many iterations, each with a slot of its own; else a stack
  unsigned count = 1;          ///< slots
  unsigned rounds = 0;         ///< the number of iterations
  unsigned top = 0;            ///< the stack's
  unsigned position = 0;       ///< the iteration that is run
  hir::BufferRef positions;    ///< those of the states
  std::map<unsigned, hir::BufferRef> locals; ///< each with its slots
};

/// A statement to reverse: with versions for locals, if it has no blocks.
struct Step {
  hir::Stmt stmt;
  std::vector<Trace> ways; ///< two for an If
  std::vector<Merge> merges;
  hir::Stmt *loop = nullptr; ///< a loop: as it was, with the versions before it and after it
  Versions before, after;
  std::optional<States> states;
  std::vector<Slots> arrays; ///< that the loop keeps: the first state is that before it
};

struct Trace {
  std::vector<Step> steps;
  std::vector<unsigned> defined; ///< versions whose adjoints begin with this code
};

class Replay {
public:
  Replay(hir::DraftTask &task, Locals &locals, const Activity &activity, const Needed &needed,
         const KeptArrays &kept)
      : locals(locals), activity(activity), task(task), kept(kept), whole(task.task.body, needed) {}

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
  /// From now on, code is that of one iteration, and what only others need is not run.
  void enter(hir::Stmt &loop);
  void leave() { around.pop_back(); }
  bool isNeeded(unsigned local) const { return needed().locals.contains(local); }
  bool isNeeded(const hir::BufferRef &buffer) const {
    return needed().arrays.contains(keyOf(buffer));
  }
  bool isActive(unsigned local) const { return activity.locals.contains(local); }

  Locals &locals;
  const Activity &activity;

private:
  Readers &readersIn(hir::Stmt &loop);
  /// \param needed what the reverse of the loop's iterations needs
  LoopPlan planWith(const Needed &needed, hir::Stmt &loop);
  Readers &readers() { return around.empty() ? whole : loops.at(around.back()); }
  const Needed &needed() const {
    return around.empty() ? whole.needed : loops.at(around.back()).needed;
  }
  /// Appends what a statement does to arrays of the task that are needed, and its waits for other
  /// threads.
  void memory(const hir::Stmt &stmt, const Versions &now, hir::Block &out) const;
  /// True if code outside of the loop needs what it stores to arrays of the task.
  bool storesForOthers(hir::Stmt &loop);
  void statement(hir::Stmt &stmt, Versions &now, hir::Block &out, Trace &trace);
  void branch(hir::Stmt &stmt, Versions &now, hir::Block &out, Trace &trace);
  void loop(hir::Stmt &stmt, Versions &now, hir::Block &out, Trace &trace);

  hir::DraftTask &task;
  const KeptArrays &kept;
  Readers whole;                        ///< with the values that the reverse of the task needs
  std::map<hir::Stmt *, Readers> loops; ///< with those that the reverse of each loop needs
  std::vector<hir::Stmt *> around;      ///< the loops that were entered
  /// Bytes of a thread's memory that states of loops may still take, but for a few states of each.
  /// NVIDIA's driver for Vulkan does not compile code whose threads have more than 16 KiB.
  uint64_t room = 8192;
};

} // namespace sextant::gradients
