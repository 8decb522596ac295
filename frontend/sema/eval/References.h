// Parameters that share a variable or an element of the caller: `qd.template()`, and
// `qd.types.ref(qd.i32)`, which also says the type.
#pragma once

#include "frontend/sema/Context.h"

namespace sextant::sema {

bool isTemplateParameter(const ast::Parameter &parameter);
bool isReferenceParameter(const ast::Parameter &parameter);

/// Returns a variable that is this place: to read or assign it is to read or write there.
VariablePtr variableAt(Place place, std::string name);
/// True for what a reference parameter is bound to, where that is not a variable as a whole.
bool isReference(const Variable &variable);
/// Returns what the argument of a template parameter names, where that is an element or a member:
/// the function shares it, as it shares variables. Null for other arguments.
VariablePtr elementShared(Context &cx, const ast::Expr &argument, std::string_view name);
/// Returns what the argument of a reference parameter names. Null after an error.
VariablePtr referenceTo(Context &cx, const ast::Expr &argument, const ast::Parameter &parameter);
/// Compares a reference with its parameter's type. To be called in the callee's frame. Returns
/// false after an error.
bool fitsReference(Context &cx, const ast::Parameter &parameter, const Variable &reference,
                   SourceRange at);

} // namespace sextant::sema
