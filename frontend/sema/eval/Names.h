// Resolves names.
#pragma once

#include "frontend/sema/Context.h"

namespace sextant::sema {

/// An error's words.
struct Refused {
  std::string message, fix;
};
/// Explains why `import path as name` does not import the kernel language, if `path` is a package
/// that contains ours; empty for others.
Refused refusedPackage(std::string_view name, std::string_view path);

/// Returns the meaning of a module-level name, or nullopt if the module does not bind it.
std::optional<Value> moduleName(Context &cx, ModuleScope &module, std::string_view name,
                                SourceRange at);
/// The names that a module binds.
std::vector<std::string_view> namesOf(const ModuleScope &module);
Value lookup(Context &cx, std::string_view name, SourceRange at);
VariablePtr declare(Context &cx, std::string_view name, SourceRange at);
void forget(Context &cx, const std::set<std::string_view> &names);
/// Returns the names that running the block may change, by assignment or by reference.
std::set<std::string_view> changedBy(Context &cx, const ast::Block &block,
                                     const ast::Expr *condition = nullptr);

} // namespace sextant::sema
