// What a function's text does first with a variable: assigns it as a whole, or reads it.
#pragma once

#include "frontend/syntax/Ast.h"

namespace sextant::sema {

/// Reads: on some way, what the variable held before may be read, or changed in part.
/// Assigns: on all ways, it gets a new value as a whole first.
/// Nothing: neither is so.
enum class FirstUse : uint8_t { Nothing, Assigns, Reads };

FirstUse firstUse(const ast::Block &block, std::string_view name);
/// The same for what runs behind `stmt`, which stands in the function's body, however deep.
FirstUse firstUseBehind(const ast::Stmt &stmt, const ast::Block &function, std::string_view name);

} // namespace sextant::sema
