// Evaluates expressions.
#pragma once

#include "frontend/sema/Context.h"
#include <functional>

namespace sextant::sema {

Value eval(Context &cx, const ast::Expr &expr);
std::vector<Value> evalItems(Context &cx, const std::vector<ast::ExprPtr> &exprs, bool &bad);
/// The same for one expression, which may be `*items`.
std::vector<Value> evalItems(Context &cx, const ast::ExprPtr &expr, bool &bad);
/// Returns the items of `*items`, or nothing after an error.
std::optional<std::vector<Value>> unpacked(Context &cx, const ast::Starred &items, SourceRange at);
/// Returns the items of an iteration over a tuple, a vector or a matrix. A matrix gives its rows.
std::vector<Value> elementsOf(Context &cx, const Value &value, SourceRange at);

} // namespace sextant::sema
