// Functions of the language: their marks, and calls, which are inlined.
#pragma once

#include "frontend/sema/Context.h"

namespace sextant::sema {

/// True if a decorator is a mark of the language: "kernel", "func" …
bool isMark(const ast::Expr &decorator, ModuleScope &module, std::string_view mark);
bool isDecorated(const ast::FunctionDef &function, ModuleScope &module, std::string_view with);
/// The truth value of an option of `@qd.<mark>(option=…)`, if the function is decorated with it.
std::optional<bool> optionOf(Context &cx, const ast::FunctionDef &function, ModuleScope &module,
                             std::string_view mark, std::string_view option);
/// Returns true if `@qd.<mark>(option=…)` decorates the function with a true value.
bool hasOption(Context &cx, const ast::FunctionDef &function, ModuleScope &module,
               std::string_view mark, std::string_view option);
/// Calls a function of the library with the arguments in order.
Value callLibrary(Context &cx, std::string_view module, std::string_view name,
                  std::vector<Value> args, SourceRange at);
/// \param self what a method is called on: its first argument; null for other functions
Value callFunction(Context &cx, const Value &function, const ast::Call &node, SourceRange at,
                   const VariablePtr &self = nullptr);
/// True for `@qd.real_func`: a function with types, whose loops are serial.
bool isRealFunction(Context &cx, const ast::FunctionDef &function, ModuleScope &module);
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
/// Returns what a property of an object or a struct is: its body is read as code of the kernel.
Value readProperty(Context &cx, const Value &getter, Value object, SourceRange at);
/// Returns the `self` of a method that is called on a place.
VariablePtr selfAt(Place place);
/// Returns the items of `*argument`, or nothing after an error.
std::optional<std::vector<Value>> unpacked(Context &cx, const ast::Starred &argument,
                                           SourceRange at);

} // namespace sextant::sema
