// Visits the parts of an expression.
#pragma once

#include "frontend/syntax/Ast.h"

#include <functional>

namespace sextant {

/// Calls `visit` with each expression directly below `expr`, in the order of the text.
void forEachChild(const ast::Expr &expr, const std::function<void(const ast::Expr &)> &visit);

} // namespace sextant
