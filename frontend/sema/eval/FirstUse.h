// Finds what a function's text does first with a variable: it assigns the variable as a whole, or
// it reads it.
#pragma once

#include "frontend/syntax/Ast.h"

namespace sextant::sema {

/// Reads: on some path, the variable's former value may be read, or changed in part.
/// Assigns: on all paths, it first gets a new value as a whole.
/// Nothing: neither is so.
enum class FirstUse : uint8_t { Nothing, Assigns, Reads };

FirstUse firstUse(const ast::Block &block, std::string_view name);
/// The same for the code after `stmt`, which is in the function's body at any depth.
FirstUse firstUseBehind(const ast::Stmt &stmt, const ast::Block &function, std::string_view name);

} // namespace sextant::sema
