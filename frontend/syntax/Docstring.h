// A function's docstring: the string that its body begins with.
#pragma once

#include "frontend/syntax/Ast.h"

#include <string>

namespace sextant {

/// Returns the docstring as Python's `inspect.cleandoc` does (PEP 257): without the common
/// indentation of its lines after the first, and without empty lines at its start and end. It also
/// removes blanks at the ends of lines, and NUL characters. Empty if there is no docstring.
std::string docstringOf(const ast::FunctionDef &function);

} // namespace sextant
