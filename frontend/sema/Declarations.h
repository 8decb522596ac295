// What the text of an expression tells an error about its values: where their variables come from.
#pragma once

#include "frontend/problems/Problems.h"
#include "frontend/syntax/Diagnostics.h"

namespace sextant::sema {

struct Context;

/// True if the error is about the shapes, types or counts of operands, which somebody has declared
/// elsewhere.
bool isAboutOperands(Problem problem);

/// Returns a label at the declaration of each variable that the source text in the range names.
/// Calls, members and indices are left out.
std::vector<Label> declarationsIn(Context &cx, SourceRange at);

} // namespace sextant::sema
