// Loops on the device, checkpoints and parallel sections: what the statements of a kernel's top
// level say about the tasks in them.
#pragma once

#include "frontend/sema/Context.h"

namespace sextant::sema {

/// The request that the call of a `with` or `while` makes.
struct SpanCall {
  std::string name; ///< "qd.graph.do_while"
  hir::Span::Kind kind = hir::Span::Kernel;
  bool isStream = false;
  const ast::Expr *label = nullptr, *flag = nullptr;
};

/// Returns true for `while qd.graph.do_while(…)`.
bool isDoWhile(Context &cx, const ast::While &node);
Flow execDoWhile(Context &cx, const ast::Stmt &stmt, const ast::While &node);
Flow execWith(Context &cx, const ast::Stmt &stmt, const ast::With &node);
/// Reports what the kernel as a whole cannot have with its spans.
void checkSpans(Context &cx, SourceRange at);

} // namespace sextant::sema
