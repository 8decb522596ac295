// The parameters of a kernel: constants of the instance, and arguments of each launch.
#pragma once

#include "frontend/sema/Context.h"

namespace sextant::sema {

/// Declares the kernel's parameters. Returns false after an error.
/// \param bound the values that the instance gives to parameters, by name
bool bindArguments(Context &cx, const ast::FunctionDef &function,
                   const std::vector<std::pair<std::string, Value>> &bound);

} // namespace sextant::sema
