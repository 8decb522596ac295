// Runs kernels by name and values.
#pragma once

#include "frontend/sema/Context.h"

namespace sextant::sema {

/// Binds the arguments and runs the body. Returns nullopt after errors.
/// \param module the function's
/// \param name the kernel's: "step", or "Simulation.step" for a method
std::optional<hir::Kernel> run(Context &cx, const ast::FunctionDef &function, ModuleScope &module,
                               const std::vector<std::pair<std::string, Value>> &bound,
                               std::string name, std::string instance,
                               Derivative derivative = Derivative::None);

} // namespace sextant::sema
