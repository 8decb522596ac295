// States of a loop, from which its iterations are run again.
#pragma once

#include "frontend/gradients/Replay.h"

#include <functional>

namespace sextant::gradients {

/// The number of iterations, if the states of all of them can be kept.
/// \param size the elements of arrays of a state
std::optional<unsigned> fewTrips(hir::Stmt &loop, uint64_t size);
/// How many states a loop keeps, if it has to.
unsigned statesOf(hir::Stmt &loop, uint64_t size);
/// Writes the code that keeps the state of each of few iterations, and takes it from there: as
/// restore().
void keepStates(Replay &replay, const Step &step, const LoopPlan &plan, unsigned trips,
                hir::ExprRef round, hir::Block &before, hir::Block &body, Versions &now);

/// Writes the code that brings the state of a loop to the begin of an iteration.
/// \param round the number of the iteration: a local. They come from the last one to the first.
/// \param valueAt returns what the local of a For is in an iteration
/// \param before the code before the loop
/// \param body that of the loop over the iterations
/// \param now gets the versions of the state
void restore(Replay &replay, const Step &step, const LoopPlan &plan, hir::ExprRef round,
             const std::function<hir::ExprRef(hir::ExprRef)> &valueAt, hir::Block &before,
             hir::Block &body, Versions &now);

} // namespace sextant::gradients
