// The derivatives that functions of several tasks have of their own. Reverse mode puts their tasks
// in the place of the functions'.
#pragma once

#include "frontend/gradients/Activity.h"

namespace sextant::gradients {

/// Returns, for each task, the arrays that it reads as the function left them, if it is of such a
/// derivative. What the derivative itself stores is not one of them, nor is a gradient.
std::vector<std::set<Array>> readsOfDerivatives(hir::Draft &draft);

/// Returns the first task of the derivative of which `last` is the last one.
size_t beginOfDerivative(const hir::Draft &draft, size_t last);

} // namespace sextant::gradients
