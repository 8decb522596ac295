// Variables of the kernel that the iterations of a parallel loop share.
#pragma once

#include "frontend/sema/Context.h"

namespace sextant::sema {

/// Notes where a variable that a parallel loop changes is declared, for warnings.
void noteDeclaration(Context &cx, const Variable &variable);

/// Warns of variables that an iteration may read before it stores them: what it finds there another
/// one may have left.
void warnShared(Context &cx);

} // namespace sextant::sema
