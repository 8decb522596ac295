// The values that a request gives the parameters of a kernel, and the members of its objects.
#pragma once

#include "frontend/sema/Context.h"
#include "frontend/spelling/Request.h"

namespace sextant::sema {

struct Dispatch;

/// The values of parameters, by their names.
using Bound = std::vector<std::pair<std::string, Value>>;

/// A kernel of the file.
struct KernelDef {
  const ast::FunctionDef &function;         ///< whose parameters it has
  ModuleScope &module;                      ///< the function's module
  std::string name;                         ///< "step", or "Simulation.step" for a method
  std::shared_ptr<const StructType> self;   ///< a method's class
  const Dispatch *dispatch = nullptr;       ///< null: the function is all of its code
  Derivative derivative = Derivative::None; ///< the name ends with it: "step.grad"
};
/// Reads the values of a request, which are expressions of the file. The result is absent after an
/// error.
std::optional<Bound> valuesOf(Context &host, const KernelDef &kernel, const Request &request);

} // namespace sextant::sema
