// One iteration of a loop: its target and its body.
#pragma once

#include "frontend/sema/Context.h"

namespace sextant::sema {

/// Emits one iteration: binds the target, runs the body, handles `continue`.
Flow loopBody(Context &cx, const ast::For &node, const std::vector<Value> &index, bool grouped,
              hir::Block &into, LoopContext &context);
/// Adds statements that a jump may leave to a block: in a scope, if one does.
void addLeft(Context &cx, hir::Block &to, unsigned scope, bool isUsed, hir::Block body,
             SourceRange at);
void bindLoopTarget(Context &cx, const ast::Expr &target, std::vector<Value> index, bool grouped,
                    SourceRange at);

} // namespace sextant::sema
