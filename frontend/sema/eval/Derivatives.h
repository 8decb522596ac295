// Calls of functions to which a file gives a derivative, by `@qd.ad.grad_for(f)` or
// `@qd.ad.dual_for(f)`.
#pragma once

#include "frontend/sema/eval/Inline.h"

namespace sextant::sema {

/// Runs the body of a function in the place of its call, as inlineBody(). In the derivative of a
/// kernel, the result has the derivative that the file gives the function, if it does.
Value inlineCall(Context &cx, const Value &function, const std::vector<BoundArgument> &args,
                 SourceRange at);
/// The same for a function whose loops are tasks, with the derivative that the file gives it.
Value inlineTasks(Context &cx, const Value &function, const ast::FunctionDef &derivative,
                  const std::vector<BoundArgument> &args, SourceRange at);
/// Returns the same value, whose derivative is 0.
Value stopGradient(Context &cx, const Value &value, SourceRange at);

} // namespace sextant::sema
