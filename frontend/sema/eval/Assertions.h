// `assert`.
#pragma once

#include "frontend/sema/Context.h"

namespace sextant::sema {

/// Formats the text of an assertion. `%` takes values; for those of run time, check() does the
/// same.
struct Message {
  std::string text;
  std::vector<ExprRef> values;
};

std::optional<Message> formatMessage(Context &cx, const std::string &format, const Value &given,
                                     SourceRange at);
void execAssert(Context &cx, const ast::Stmt &stmt, const ast::Assert &node);

} // namespace sextant::sema
