// Copies of a task's arrays, from which loops are run again.
#pragma once

#include "frontend/gradients/Filled.h"
#include "frontend/gradients/Versions.h"

namespace sextant::gradients {

/// Memory of a thread for several states of an array of the task: for all of an array of its own,
/// for every blockDim'th element of one of the block.
struct Slots {
  hir::BufferRef array, memory;
  hir::Type type = hir::Type::F32;
  uint64_t count = 0; ///< elements of the array
  unsigned stride = 1;
  uint64_t each() const { return (count + stride - 1) / stride; } ///< elements a slot
};

/// Returns one for each array, still without memory.
std::vector<Slots> slotsFor(const std::set<Array> &arrays, const hir::Draft &draft,
                            unsigned blockDim);
/// The bytes of a thread's memory that a state takes.
uint64_t bytesOfState(const std::vector<Slots> &slots);
void makeMemory(std::vector<Slots> &slots, Locals &locals, unsigned states, hir::Loc at);
/// Appends code that copies the arrays to a state, or from it: none if there are no arrays.
void saveArrays(const std::vector<Slots> &slots, Locals &locals, const hir::ExprRef &state,
                hir::Block &to, hir::Loc at);
void loadArrays(const std::vector<Slots> &slots, Locals &locals, const hir::ExprRef &state,
                hir::Block &to, hir::Loc at);

} // namespace sextant::gradients
