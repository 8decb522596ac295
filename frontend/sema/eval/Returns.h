// `return`.
#pragma once

#include "frontend/sema/Context.h"

namespace sextant::sema {

Flow execReturn(Context &cx, const ast::Stmt &stmt, const ast::Return &node);
void checkReturns(Context &cx, const ast::FunctionDef &function, Flow end);

} // namespace sextant::sema
