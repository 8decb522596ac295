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
/// Returns a value that later assignments do not change, as containers and ranges keep it. What
/// launches can compute stays an expression.
Value settled(Context &cx, Value value, SourceRange at);
/// Reports a part that is known when kernels are built, and is to become another one at run time:
/// nothing holds it that could change.
/// \param name the variable's, for messages
void keepKnown(Context &cx, const Value &part, const Value &value, const std::string &name,
               SourceRange at);

} // namespace sextant::sema
