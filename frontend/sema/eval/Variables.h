// Variables of kernels and functions.
#pragma once

#include "frontend/sema/Context.h"

namespace sextant::sema {

void assignVariable(Context &cx, const VariablePtr &variable, const Value &value, SourceRange at);
Value newVariableLeaves(Context &cx, const std::string &name, const Value &value, SourceRange at);
/// The same for a variable of the source, which debuggers know.
/// \param parameter its number among the function's parameters, from 1; 0: it is not a parameter
Value newVariable(Context &cx, const Variable &variable, const Value &value, SourceRange at,
                  unsigned parameter = 0);
bool showsVariables(Context &cx);
void nameLeaves(Context &cx, const std::string &name, const Value &leaves, SourceRange at,
                unsigned parameter = 0);
void assignLeaves(Context &cx, const Value &leaves, const Value &value, const VariablePtr &variable,
                  SourceRange at);

} // namespace sextant::sema
