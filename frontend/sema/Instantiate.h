// Kernels by name and values, and what runs outside of kernels.
#pragma once

#include "frontend/sema/Context.h"

namespace sextant::sema {

/// Binds arguments and runs the body; nullopt after errors.
std::optional<hir::Kernel> run(Context &cx, const ast::FunctionDef &function,
                               const std::vector<std::pair<std::string, Value>> &bound,
                               std::string instance);
/// Evaluates in the main module, outside of any kernel.
Value evalHost(Context &cx, const ast::Expr &expr, ModuleScope &module);
/// What the text of an option means in a module; poison: nothing, and `problem` says why.
/// Reports nothing itself: who wrote the option has no file to look at.
Value evalText(Context &cx, const std::string &text, ModuleScope &module, std::string &problem);
TypeValue *annotation(Context &cx, const ast::Expr &expr, TypeValue &out);

} // namespace sextant::sema
