// Labels for errors about an expression's values: where the variables in its text come from.
#pragma once

#include "frontend/syntax/Diagnostics.h"

namespace sextant::sema {

struct Context;

/// Returns a label at the declaration of each variable that the source text in the range names.
/// Calls, members and indices are left out.
std::vector<Label> declarationsIn(Context &cx, SourceRange at);

} // namespace sextant::sema
