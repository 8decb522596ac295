// What the text of an expression tells an error about its values: where their variables come from.
#pragma once

#include "frontend/syntax/Diagnostics.h"

namespace sextant::sema {

struct Context;

/// Returns a label at the declaration of each variable that the source text in the range names.
/// Calls, members and indices are left out.
std::vector<Label> declarationsIn(Context &cx, SourceRange at);

} // namespace sextant::sema
