// Code whose active operations each stand in a statement of their own.
#pragma once

#include "frontend/gradients/Activity.h"

namespace sextant::gradients {

/// Makes code flat: an operation whose derivative matters is the value of an assignment, and its
/// operands are constants, parameters or locals. So is what reads or changes memory, or asks other
/// threads. Nothing is evaluated in another order. Conditions of loops are computed before the loop
/// and at the end of its body. New locals are added to `locals`, and to the active ones.
void flatten(hir::Block &code, std::vector<hir::Local> &locals, Activity &activity);

} // namespace sextant::gradients
