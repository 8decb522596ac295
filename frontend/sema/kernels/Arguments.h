// The parameters of a kernel: constants of the instance, and arguments of each launch.
#pragma once

#include "frontend/sema/Context.h"

namespace sextant::sema {

/// Declares the kernel's parameters. Returns false after an error.
/// \param bound the values that the instance gives to parameters, by name
bool bindArguments(Context &cx, const ast::FunctionDef &function,
                   const std::vector<std::pair<std::string, Value>> &bound);

/// Declares the gradients of a kernel's results, which its derivative in reverse mode takes:
/// `return_grad`, or `return0_grad` and so on if there are several. Returns false after an error.
/// \param type the annotation of the kernel's result
bool bindResults(Context &cx, const TypeValue &type, SourceRange at);

} // namespace sextant::sema
