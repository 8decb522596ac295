// Runs statements.
#pragma once

#include "frontend/sema/Context.h"
#include <functional>

namespace sextant::sema {

Flow execBlock(Context &cx, const ast::Block &block, bool newScope = true);
Flow exec(Context &cx, const ast::Stmt &stmt);
void assignTarget(Context &cx, const ast::Expr &target, const Value &value, SourceRange at);
/// Runs `body` under run-time control flow, and writes its statements into `into`.
/// \param serialIn Context::serialIn meanwhile. Without one, it stays.
Flow inRuntime(Context &cx, hir::Block &into, const char *serialIn,
               const std::function<Flow()> &body);
Flow inRuntime(Context &cx, hir::Block &into, const std::function<Flow()> &body);

} // namespace sextant::sema
