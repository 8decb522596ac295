// The options of `@qd.kernel(...)` and `@qd.func(...)`.
#pragma once

#include "frontend/sema/Context.h"

namespace sextant::sema {

/// Reports options that a mark does not have, and those that mean nothing without another one.
void checkOptions(Context &cx, const ast::FunctionDef &function, ModuleScope &module);

} // namespace sextant::sema
