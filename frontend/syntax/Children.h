// Visits the parts of an expression.
#pragma once

#include "frontend/syntax/Ast.h"

#include <functional>

namespace sextant {

/// Calls `visit` with each expression directly below `expr`, in the order of the text.
void forEachChild(const ast::Expr &expr, const std::function<void(const ast::Expr &)> &visit);

namespace ast {

/// The elements of a tuple or a list that is written out, as a value or a target; null for others.
const std::vector<ExprPtr> *elementsOf(const Expr &expr);
/// True of `*items`.
bool isStarred(const ExprPtr &expr);

} // namespace ast

} // namespace sextant
