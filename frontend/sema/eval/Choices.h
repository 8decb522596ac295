// Expressions that do not evaluate all of their operands.
#pragma once

#include "frontend/sema/Context.h"

namespace sextant::sema {

/// `a if c else b`
Value evalIf(Context &cx, const ast::Expr &expr, const ast::IfExpr &node);
/// `and`, `or`
Value evalBoolOp(Context &cx, const ast::Expr &expr, const ast::BoolOp &node);
/// `a < b < c`
Value evalCompare(Context &cx, const ast::Expr &expr, const ast::Compare &node);

} // namespace sextant::sema
