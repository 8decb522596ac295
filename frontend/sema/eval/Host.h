// Evaluates code outside of kernels: module constants, defaults, options.
#pragma once

#include "frontend/sema/Context.h"

namespace sextant::sema {

/// The value of a name of a module, outside of any kernel; nothing if the module has no such name.
std::optional<Value> hostName(Context &cx, ModuleScope &module, std::string_view name,
                              SourceRange at);
/// Evaluates an expression in the main module, outside of any kernel.
Value evalHost(Context &cx, const ast::Expr &expr, ModuleScope &module);
/// The same where host code has bound names that have no value when kernels are built.
Value evalHost(Context &cx, const ast::Expr &expr, ModuleScope &module,
               const std::vector<std::string_view> &unknown);
/// The same where items of a tuple or a list may be unknown.
Value evalHostParts(Context &cx, const ast::Expr &expr, ModuleScope &module);
/// Evaluates the text of an option in a module. If the result is poison, the text means nothing,
/// and `problem` says why. Reports nothing itself, because the text has no file.
Value evalText(Context &cx, const std::string &text, ModuleScope &module, std::string &problem);
/// The same for a part of such a text.
Value evalOption(Context &cx, const ast::Expr &expr, ModuleScope &module, std::string &problem);
/// Reads a type from an annotation of a module. Returns null after an error.
TypeValue *hostAnnotation(Context &cx, const ast::Expr &expr, ModuleScope &module, TypeValue &out);

} // namespace sextant::sema
