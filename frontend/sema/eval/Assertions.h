// `assert`.
#pragma once

#include "frontend/sema/Context.h"

namespace sextant::sema {

/// The text of an assertion; `%` takes values, those of run time as check() does.
struct Message {
  std::string text;
  std::vector<ExprRef> values;
};

std::optional<Message> formatMessage(Context &cx, const std::string &format, const Value &given,
                                     SourceRange at);
void execAssert(Context &cx, const ast::Stmt &stmt, const ast::Assert &node);

} // namespace sextant::sema
