// States of a loop, from which its iterations are run again.
#pragma once

#include "frontend/gradients/Replay.h"

namespace sextant::gradients {

/// How many states a loop keeps, if it has to.
/// \param bytes those of a state
/// \param room the bytes of the thread's memory that the loops of the task may still take. It
///             becomes less.
unsigned statesOf(hir::Stmt &loop, uint64_t bytes, uint64_t &room);

/// The number of iterations of a loop that counts, as an unsigned number.
hir::ExprRef roundsOf(const hir::For &loop, const Versions &before, hir::Type type, hir::Loc at);
/// The value of its local in an iteration.
hir::ExprRef indexAt(const hir::For &loop, const Versions &before, hir::ExprRef round,
                     hir::Type type);

/// Appends code that runs a loop, and keeps states of it in memory of the thread.
/// \param count how many states
/// \param variables the locals of that run
/// \param isAsked the values after the loop matter
States runAndKeep(const Replay &replay, const Step &step, const LoopPlan &plan, unsigned count,
                  const Versions &variables, bool isAsked, hir::Block &out);

/// Writes the code that brings the state of a loop to the begin of an iteration.
/// \param round the number of the iteration: a local. They come from the last one to the first.
/// \param body that of the loop over the iterations
/// \param now gets the versions of the state
void restore(Replay &replay, const Step &step, const LoopPlan &plan, hir::ExprRef round,
             hir::Block &body, Versions &now);

} // namespace sextant::gradients
