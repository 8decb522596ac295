// Proves that code stores to each element of an array of the block or the thread.
#pragma once

#include "frontend/gradients/Activity.h"

namespace sextant::gradients {

/// True if the threads of a block store to all `count` elements of `array` on the way to `end`, or
/// each thread does if it is an array of the thread.
/// \param path the loops and branches around `end`, outer ones first. Only stores in the innermost
///        loop count
bool fills(hir::DraftTask &task, const hir::Draft &draft, const Array &array,
           const std::vector<hir::Stmt *> &path, const hir::Stmt &end);

} // namespace sextant::gradients
