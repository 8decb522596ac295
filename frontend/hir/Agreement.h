// Tests if two kernels can be variants of one: launches pass them the same, and get the same back.
#pragma once

#include "frontend/hir/Hir.h"

#include <string>

namespace sextant::hir {

/// Returns in what `other` differs from `first` for those who launch it, as a clause ("takes `x` as
/// another type"), or "". Arguments that only one of them has are not a difference.
std::string disagreement(const Kernel &first, const Kernel &other);

} // namespace sextant::hir
