// Calls of functions of the language, which are inlined (Inline.h).
#pragma once

#include "frontend/sema/Context.h"

namespace sextant::sema {

/// Calls a function of the library with the arguments in order.
Value callLibrary(Context &cx, std::string_view module, std::string_view name,
                  std::vector<Value> args, SourceRange at);
/// \param self what a method is called on: its first argument; null for other functions
Value callFunction(Context &cx, const Value &function, const ast::Call &node, SourceRange at,
                   const VariablePtr &self = nullptr);
/// Returns what a property of an object or a struct is: its body is read as code of the kernel.
Value readProperty(Context &cx, const Value &getter, Value object, SourceRange at);
/// Returns the `self` of a method that is called on a place.
VariablePtr selfAt(Place place);

} // namespace sextant::sema
