// The parameters of a kernel: constants of the instance, and arguments of each launch.
#pragma once

#include "frontend/sema/Context.h"

namespace sextant::sema {

/// Declares the kernel's parameters. False after an error.
/// \param bound what the instance gives to parameters, by name
bool bindArguments(Context &cx, const ast::FunctionDef &function,
                   const std::vector<std::pair<std::string, Value>> &bound);

} // namespace sextant::sema
