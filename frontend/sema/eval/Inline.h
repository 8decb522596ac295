// Runs the body of a function in the place of its call.
#pragma once

#include "frontend/sema/Context.h"

namespace sextant::sema {

struct BoundArgument {
  const ast::Parameter *parameter = nullptr;
  Value value;
  VariablePtr reference; ///< template parameters, references and `self` share the caller's variable
  SourceRange at;
  const ast::Expr *written = nullptr; ///< the argument's text, unless it is an item of `*items`
};

Value inlineBody(Context &cx, const Value &function, const std::vector<BoundArgument> &args,
                 SourceRange at);

} // namespace sextant::sema
