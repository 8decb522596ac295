// Facts from the text of a function: its marks of the language, Python's own decorators, its
// parameters' names.
#pragma once

#include "frontend/sema/Program.h"

namespace sextant::sema {

/// True if a decorator is a mark of the language: "kernel", "func" …
bool isMark(const ast::Expr &decorator, ModuleScope &module, std::string_view mark);
bool isDecorated(const ast::FunctionDef &function, ModuleScope &module, std::string_view with);
/// The names of the parameters, for suggestions.
std::vector<std::string_view> namesOf(const ast::FunctionDef &function);
/// True for a method under `@staticmethod`, which has no `self`.
bool isStaticMethod(const ast::FunctionDef &function);
/// True for a method under `@classmethod`, whose first parameter is the class.
bool isClassMethod(const ast::FunctionDef &function);
/// True for the method that makes an object. It has no mark of the language, and as in Python, its
/// annotations mean nothing.
bool isInit(const ast::FunctionDef &function);
/// True for a method under `@property`.
bool isProperty(const ast::FunctionDef &function);

} // namespace sextant::sema
