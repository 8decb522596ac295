// The parameters of a kernel as C++ and Python have them: arguments, and structs of arguments whose
// names have dots ("state.mass").
#pragma once

#include "driver/bindings/HeaderText.h"

namespace sextant::header {

/// A parameter, or a member of one: an argument, or a struct.
struct Parameter {
  std::string name;               ///< an identifier
  size_t argument = 0;            ///< without members: the number of the kernel's argument
  std::vector<Parameter> members; ///< a struct's, in the order of the arguments
  std::string type;               ///< a struct's: an identifier, unique in the kernel
};

/// Makes an identifier of a name, as header::identifier does for C++.
using Naming = std::string (*)(const std::string &name, std::set<std::string> &taken);

/// Groups arguments by what stands before the dots of their names. Top-level names avoid `taken`.
std::vector<Parameter> parameterTree(const std::vector<module::Argument> &arguments,
                                     std::set<std::string> &taken, Naming naming = identifier);

/// Calls `visit` with each argument and the expression that names it, such as "state.mass".
template <class Visit>
void forEachArgument(const std::vector<Parameter> &parameters, const std::string &before,
                     const Visit &visit) {
  for (const Parameter &parameter : parameters)
    if (parameter.members.empty())
      visit(parameter.argument, before + parameter.name);
    else
      forEachArgument(parameter.members, before + parameter.name + ".", visit);
}

} // namespace sextant::header
