// Fields that are declared first and placed later: `qd.root.dense(qd.ij, (4, 8)).place(x)`.
#pragma once

#include "frontend/sema/Context.h"

namespace sextant::sema {

/// Gives a field without a shape the extents of the place that the module gives it under one of its
/// names. Returns false after an error. Fields are dense and row by row, whatever was placed beside
/// them.
bool placeField(Context &cx, ModuleScope &module, const std::vector<std::string> &names,
                ArrayRef &field);

} // namespace sextant::sema
