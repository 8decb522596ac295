// Options of the marks of functions.
#pragma once

#include "frontend/sema/Context.h"

namespace sextant::sema {

/// The truth value of an option of `@qd.<mark>(option=…)`, if the function is decorated with it.
std::optional<bool> optionOf(Context &cx, const ast::FunctionDef &function, ModuleScope &module,
                             std::string_view mark, std::string_view option);
/// Returns true if `@qd.<mark>(option=…)` decorates the function with a true value.
bool hasOption(Context &cx, const ast::FunctionDef &function, ModuleScope &module,
               std::string_view mark, std::string_view option);
/// True for `@qd.real_func`: a function with types, whose loops are serial.
bool isRealFunction(Context &cx, const ast::FunctionDef &function, ModuleScope &module);

} // namespace sextant::sema
