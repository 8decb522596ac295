// Calls.
#pragma once

#include "frontend/sema/builtins/Builtins.h"

namespace sextant::sema {

Value evalCall(Context &cx, const ast::Expr &expr, const ast::Call &node);
std::string callName(const CallSite &site);

} // namespace sextant::sema
