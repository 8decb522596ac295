// What a function says of itself: the string that its body begins with.
#pragma once

#include "frontend/syntax/Ast.h"

#include <string>

namespace sextant {

/// The docstring as Python's `inspect.cleandoc` gives it (PEP 257): without the indentation that
/// its lines after the first have in common, and without empty lines before and behind; also
/// without blanks at the ends of lines, and NUL characters. Empty where there is none.
std::string docstringOf(const ast::FunctionDef &function);

} // namespace sextant
