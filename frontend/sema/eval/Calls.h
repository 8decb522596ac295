// Calls of functions, which are inlined, of builtins and of methods.
#pragma once

#include "frontend/sema/builtins/Builtins.h"

namespace sextant::sema {

bool isDecorated(const ast::FunctionDef &function, ModuleScope &module, std::string_view with);
Value evalCall(Context &cx, const ast::Expr &expr, const ast::Call &node);
/// Calls a function of the library with the arguments in order.
Value callLibrary(Context &cx, std::string_view module, std::string_view name,
                  std::vector<Value> args, SourceRange at);
std::string callName(const CallSite &site);

} // namespace sextant::sema
