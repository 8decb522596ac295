// Calls.
#pragma once

#include "frontend/sema/Builtin.h"
#include "frontend/sema/Context.h"

namespace sextant::sema {

Value evalCall(Context &cx, const ast::Expr &expr, const ast::Call &node);
std::string callName(const CallSite &site);
bool inKernel(Context &cx, CallSite &site);
std::string userCall(Context &cx, const CallSite &site);

} // namespace sextant::sema
