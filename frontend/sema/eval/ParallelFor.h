// A loop at the top of a kernel: a task whose iterations run in parallel.
#pragma once

#include "frontend/sema/Context.h"

namespace sextant::sema {

void parallelFor(Context &cx, const ast::Stmt &stmt, const ast::For &node, const Value &range);

} // namespace sextant::sema
